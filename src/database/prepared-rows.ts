// Queries for many rows, each built and compiled once for its shape: then a page costs little more than the engine itself.
import type { CompiledQuery } from 'kysely'
import { createBoundedCache } from '../shared/bounded-cache.ts'
import type { Db } from './database.ts'

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

export interface RowsQuestion<Row> {
  /** Identifies the query text: equal for the same filters and the same number of values, and different otherwise. */
  readonly shape: string
  readonly values: readonly (string | number)[]
  /** Makes the query, with `slot(index)` for each value. */
  readonly build: (slot: (place: number) => never) => Compilable<Row>
}

export type AskRows = <Row>(question: RowsQuestion<Row>) => Promise<Row[]>

/** One per caller, with its own cached texts. */
export function createPreparedRows(db: Db): AskRows {
  const cache = createBoundedCache<Prepared>({ max: maxShapes })

  function prepare<Row>({ shape, build }: RowsQuestion<Row>): Prepared {
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

  return async <Row>(question: RowsQuestion<Row>): Promise<Row[]> => {
    const { compiled, places } = prepare(question)
    const parameters = places.map((place, at) =>
      place === undefined ? compiled.parameters[at] : question.values[place],
    )
    const { query, queryId, sql } = compiled
    const { rows } = await db.executeQuery<Row>({ query, queryId, sql, parameters })
    return rows
  }
}
