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
 * three times what the look-up does (bench/results), and handing it through kysely's layers as much again.
 * @param build makes the query, with `parameter('name')` wherever a value will stand.
 * @returns the first row for these values.
 */
export function createHotQuery<Row, Name extends string>(
  db: Db,
  build: (parameter: (name: Name) => never) => Compilable<Row>,
): (values: Readonly<Record<Name, string | number>>) => Promise<Row | undefined> {
  const parameter = (name: Name): never => markOf(name) as never
  let prepared: ReturnType<typeof prepare> | undefined

  function prepare() {
    const compiled = build(parameter).compile()
    const names = compiled.parameters.map((value) =>
      typeof value === 'string' && value.startsWith(mark) ? (value.slice(mark.length) as Name) : undefined,
    )
    return { compiled, names, readAtOnce: db.prepareRead?.(compiled.sql) }
  }

  return async (values) => {
    prepared ??= prepare()
    const { compiled, names, readAtOnce } = prepared
    const parameters = names.map((name, at) => (name === undefined ? compiled.parameters[at] : values[name]))
    const row = readAtOnce?.(parameters) as Row | null | undefined
    if (row !== undefined) return row ?? undefined
    const { query: node, queryId, sql } = compiled
    const { rows } = await db.executeQuery<Row>({ query: node, queryId, sql, parameters })
    return rows[0]
  }
}
