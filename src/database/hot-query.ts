// Queries on the path of every request: built and compiled once, so that a look-up costs little more than SQLite itself.
import type { CompiledQuery } from 'kysely'
import { createMarkedCache } from '../shared/bounded-cache.ts'
import type { Db } from './database.ts'

interface Compilable<Row> {
  compile(): CompiledQuery<Row>
}

/** Marks a parameter while the query is compiled; no value of ours looks like it. */
const mark = '\0parameter '

const markOf = (name: string): string => mark + name

type Values<Name extends string> = Readonly<Record<Name, string | number>>

export interface HotQuery<Row, Name extends string> {
  /** @returns the first row for these values. */
  (values: Values<Name>): Promise<Row | undefined>
  /** The same without waiting. @returns null if there is no row, and undefined if the caller must await the query. */
  atOnce(values: Values<Name>): Row | null | undefined
}

export interface RowCache<Row> {
  /** How many rows are remembered until the next commit; each is frozen. */
  readonly keep?: number
  /** Where rows may be large: which of them are remembered at all. */
  readonly isSmall?: (row: Row) => boolean
}

/** Caches rows until something is committed: until then a query would find the same. */
function createRowCache<Row>(db: Db, { keep: max = 0, isSmall = () => true }: RowCache<Row>) {
  const rows = createMarkedCache<Row>({ max })
  return {
    find: (key: string, asOf: number | undefined): Row | undefined =>
      asOf === undefined ? undefined : rows.get(key, asOf),
    keep: (key: string, row: Row, asOf: number | undefined): void => {
      if (asOf !== undefined && isSmall(row)) rows.set(key, asOf, Object.freeze(row))
    },
    asOf: () => (max === 0 ? undefined : db.commitMark?.()),
  }
}

/**
 * Compiles the query when it is first used, and then only binds its parameters: building and compiling cost kysely
 * three times what the look-up does (bench/results), and passing it through kysely's layers as much again.
 * @param build makes the query, with `parameter('name')` for each value. Its result may depend only on the rows and
 * these values, in particular not on the time.
 */
export function createHotQuery<Row extends object, Name extends string>(
  db: Db,
  build: (parameter: (name: Name) => never) => Compilable<Row>,
  rowCache: RowCache<Row> = {},
): HotQuery<Row, Name> {
  const parameter = (name: Name): never => markOf(name) as never
  let prepared: ReturnType<typeof prepare> | undefined
  const cachedRows = createRowCache<Row>(db, rowCache)

  function prepare() {
    const compiled = build(parameter).compile()
    const names = compiled.parameters.map((value) =>
      typeof value === 'string' && value.startsWith(mark) ? (value.slice(mark.length) as Name) : undefined,
    )
    return { compiled, names, readAtOnce: db.prepareRead?.(compiled.sql) }
  }

  function keyOf(values: Values<Name>): string {
    let key = ''
    for (const name in values) key += `${values[name]}\n`
    return key
  }

  function ask(values: Values<Name>) {
    prepared ??= prepare()
    const { compiled, names, readAtOnce } = prepared
    const asOf = cachedRows.asOf()
    const key = asOf === undefined ? '' : keyOf(values)
    const cached = cachedRows.find(key, asOf)
    if (cached !== undefined) return { row: cached, parameters: [], key, asOf }
    const parameters = names.map((name, at) => (name === undefined ? compiled.parameters[at] : values[name]))
    const row = readAtOnce?.(parameters) as Row | null | undefined
    if (row) cachedRows.keep(key, row, asOf)
    return { row, parameters, key, asOf }
  }

  const find = async (values: Values<Name>): Promise<Row | undefined> => {
    const { row, parameters, key, asOf } = ask(values)
    if (row !== undefined) return row ?? undefined
    const { compiled } = (prepared ??= prepare())
    const { query: node, queryId, sql } = compiled
    const { rows } = await db.executeQuery<Row>({ query: node, queryId, sql, parameters })
    const [found] = rows
    if (found) cachedRows.keep(key, found, asOf) // from before the query: a commit meanwhile makes the row outdated at once
    return found
  }
  return Object.assign(find, { atOnce: (values: Values<Name>) => ask(values).row })
}
