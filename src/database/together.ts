// Statements of one transaction that need not wait for each other's results.
//
// Each statement that waits for the one before costs PostgreSQL and this process a message each, which is a large part of
// what a small statement costs. SQLite is in this process: there, statements simply run one after the other.
import { CompiledQuery, type QueryResult } from 'kysely'
import type { Db, Tx } from './database.ts'

/** Not SQL: the drivers intercept them, so they never reach a database. */
const eachText = 'each'
const laterText = 'later'

export const isEach = ({ sql }: Pick<CompiledQuery, 'sql'>): boolean => sql === eachText

/** The statement that is to be sent with the next one; undefined if the query is not such an order. */
export const laterOf = ({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>) =>
  sql === laterText ? (parameters[0] as CompiledQuery) : undefined

type Answers<Asked extends readonly Promise<unknown>[]> = {
  -readonly [Index in keyof Asked]: Awaited<Asked[Index]>
}

async function ask<const Asked extends readonly Promise<unknown>[]>(
  one: Db,
  asking: (each: Db) => Asked,
): Promise<Answers<Asked>> {
  const { rows } = await one.executeQuery<Db>(CompiledQuery.raw(eachText))
  const asked = asking(rows[0] ?? one)
  await Promise.allSettled(asked) // after a failure, none of them must still be under way
  return Promise.all(asked)
}

/**
 * Asks several things at once, in a transaction or outside. What is asked for in one turn is sent in one message. None of them
 * may rely on what another writes: in which order they run is not promised. Outside of a transaction, they only read.
 */
export function together<const Asked extends readonly Promise<unknown>[]>(
  db: Db,
  asking: (each: Db) => Asked,
): Promise<Answers<Asked>> {
  if (db.isTransaction) return ask(db, asking)
  return db.settled ? db.connection().execute((one) => ask(one, asking)) : Promise.all(asking(db))
}

/**
 * Runs a statement whose result nobody needs: it is sent with the next statement of the transaction, or with its commit. If it
 * fails, that fails.
 */
export const later = (tx: Tx, query: CompiledQuery): Promise<QueryResult<unknown>> =>
  tx.executeQuery(CompiledQuery.raw(laterText, [query]))
