// Queries on the path of every request: built and compiled once, so that a look-up costs little more than SQLite itself.
import type { CompiledQuery } from 'kysely'
import type { Db } from './database.ts'

interface Compilable<Row> {
  compile(): CompiledQuery<Row>
}

/** Begins what stands for a parameter while the query is compiled; no value of ours looks like it. */
const mark = '\0parameter '

const markOf = (name: string): string => mark + name

/**
 * Compiles the query when it is first asked, and then only fills in its parameters: building and compiling cost kysely
 * three times what the look-up does (bench/results).
 * @param build makes the query, with `parameter('name')` wherever a value will stand.
 * @returns the first row for these values.
 */
export function createHotQuery<Row, Name extends string>(
  db: Db,
  build: (parameter: (name: Name) => never) => Compilable<Row>,
): (values: Readonly<Record<Name, string | number>>) => Promise<Row | undefined> {
  const parameter = (name: Name): never => markOf(name) as never
  let query:
    | { readonly compiled: CompiledQuery<Row>; readonly names: readonly (Name | undefined)[] }
    | undefined

  function compile() {
    const compiled = build(parameter).compile()
    const names = compiled.parameters.map((value) =>
      typeof value === 'string' && value.startsWith(mark) ? (value.slice(mark.length) as Name) : undefined,
    )
    return { compiled, names }
  }

  return async (values) => {
    query ??= compile()
    const { compiled, names } = query
    const parameters = names.map((name, at) => (name === undefined ? compiled.parameters[at] : values[name]))
    const { query: node, queryId, sql } = compiled
    const { rows } = await db.executeQuery<Row>({ query: node, queryId, sql, parameters })
    return rows[0]
  }
}
