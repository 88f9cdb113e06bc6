// Statements that are built and compiled once for their shape: then a page, or a write, costs little more than the engine itself.
import type { CompiledQuery, DialectAdapter, Insertable } from 'kysely'
import { createBoundedCache, type BoundedCache } from '../shared/bounded-cache.ts'
import type { Db } from './database.ts'
import type { Schema } from './schema.ts'

/** Cached query texts: per combination of filters, and lists of values by their lengths. */
const maxShapes = 200

/** Marks a value while the query is compiled; no value of ours looks like it. */
const mark = '\0value '

interface Compilable<Row> {
  compile(): CompiledQuery<Row>
}

interface Prepared {
  readonly compiled: CompiledQuery
  /** For each parameter of the query, the index of its value; undefined if it is constant. */
  readonly places: readonly (number | undefined)[]
}

/** To the next power of two, with the first once more: a query over a list of any length has few shapes then. */
export function padded<Value extends string | number>(values: readonly Value[]): Value[] {
  const [first] = values
  if (first === undefined) return []
  return Array.from({ length: 2 ** Math.ceil(Math.log2(values.length)) }, (_none, at) => values[at] ?? first)
}

export interface RowsQuestion<Row, Value = string | number> {
  /** Identifies the query text: equal for the same filters and the same number of values, and different otherwise. */
  readonly shape: string
  readonly values: readonly Value[]
  /** Makes the query, with `slot(index)` for each value. */
  readonly build: (slot: (place: number) => never) => Compilable<Row>
}

export type AskRows = <Row>(question: RowsQuestion<Row>) => Promise<Row[]>

function prepared<Row>(
  cache: BoundedCache<Prepared>,
  { shape, build }: RowsQuestion<Row, unknown>,
): Prepared {
  const known = cache.get(shape)
  if (known !== undefined) return known
  const compiled = build((place) => `${mark}${place}` as never).compile()
  const places = compiled.parameters.map((value) =>
    typeof value === 'string' && value.startsWith(mark) ? Number(value.slice(mark.length)) : undefined,
  )
  const made = { compiled, places }
  cache.set(shape, made)
  return made
}

function withValues<Row>(
  cache: BoundedCache<Prepared>,
  question: RowsQuestion<Row, unknown>,
): CompiledQuery<Row> {
  const { compiled, places } = prepared(cache, question)
  const parameters = places.map((place, at) =>
    place === undefined ? compiled.parameters[at] : question.values[place],
  )
  const { query, queryId, sql } = compiled
  return { query, queryId, sql, parameters }
}

/** One per caller, with its own cached texts. */
export function createPreparedRows(db: Db): AskRows {
  const cache = createBoundedCache<Prepared>({ max: maxShapes })
  return async <Row>(question: RowsQuestion<Row>): Promise<Row[]> =>
    (await db.executeQuery<Row>(withValues(cache, question))).rows
}

/** By engine, since each has a syntax of its own: a database and its transactions share the adapter. */
const cacheOf = new WeakMap<DialectAdapter, BoundedCache<Prepared>>()

/**
 * The statement with these values, for statements in transactions: only the first of its shape is built.
 * @param question its shape is the same for all callers, so it names the statement.
 */
export function preparedFor<Row>(db: Db, question: RowsQuestion<Row, unknown>): CompiledQuery<Row> {
  const { adapter, plugins } = db.getExecutor()
  if (plugins.length > 0) return question.build((place) => question.values[place] as never).compile()
  let cache = cacheOf.get(adapter)
  if (cache === undefined) {
    cache = createBoundedCache<Prepared>({ max: maxShapes })
    cacheOf.set(adapter, cache)
  }
  return withValues(cache, question)
}

/** What kysely takes for the values of these columns: a slot for each. */
export const slotsOf = (columns: readonly string[], slot: (place: number) => never): Record<string, never> =>
  Object.fromEntries(columns.map((column, at) => [column, slot(at)]))

/** Inserts rows of values, which all have the same columns in the same order. */
export function preparedInsert<Table extends keyof Schema>(
  db: Db,
  table: Table,
  ...rows: readonly Insertable<Schema[Table]>[]
): CompiledQuery {
  const columns = Object.keys(rows[0] ?? {})
  return preparedFor(db, {
    shape: `insert ${table} ${rows.length} ${columns.join()}`,
    values: rows.flatMap((row) => Object.values<unknown>(row)),
    build: (slot) =>
      db
        .insertInto(table)
        .values(
          rows.map((_row, at) => slotsOf(columns, (place) => slot(at * columns.length + place)) as never),
        ),
  })
}
