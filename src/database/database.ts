// The open database: what every table file is given, whichever engine is behind it.
import { CompiledQuery, type Expression, type Kysely, type Transaction } from 'kysely'
import type { Changes } from '../commits.ts'
import type { SharedClock } from './postgres/shared-clock.ts'
import type { SharedCounts } from './postgres/shared-counts.ts'
import type { Schema } from './schema.ts'

/**
 * Asks for the first row at once, past kysely's layers, which cost several times what SQLite does.
 * @returns null where there is none, and undefined where it must be asked for in the ordinary way: within a transaction,
 *   which nobody else may look into, and after any failure.
 */
export type ReadAtOnce = (parameters: readonly unknown[]) => object | null | undefined

/**
 * A connection or an open transaction: table files take either, so that a read inside a transaction sees it.
 * The first two are for hot-query.ts alone. `prepareRead` is not there where the engine cannot, in a transaction, or with a plugin.
 */
export type Db = Kysely<Schema> & {
  readonly prepareRead?: (text: string) => ReadAtOnce
  /**
   * A number that is another whenever anything may have been committed since, by whatever program; the same within one
   * turn of the event loop, unless it was we who committed. Not there where the engine cannot tell.
   */
  readonly commitMark?: () => number
  /** Only there if transactions can run in parallel; for `settled` and `inSharedTransaction` alone. */
  readonly settled?: () => Promise<void>
  /** How often the database may have lost its last writes since it was opened, by a crash or a failover. */
  readonly failovers?: () => number
}
export type Tx = Transaction<Schema>

/** Column types that the engines spell differently. */
export interface ColumnTypes {
  /** 53-bit primary key (SQLite: `integer`, the row id itself; PostgreSQL: `bigint`). */
  readonly id: Expression<unknown>
  /** Any other whole number up to 2^53−1. */
  readonly whole: Expression<unknown>
  /** Bytes as they are (SQLite: `blob`, PostgreSQL: `bytea`). */
  readonly bytes: Expression<unknown>
}

export interface WriterWait {
  readonly ms: number
  /** Or the wait was in vain. */
  readonly hasBegun: boolean
}

export interface ConnectionBudget {
  /** Connections that the server allows, except those reserved for superusers. */
  readonly available: number
  /** Number of nodes that are running on this database. */
  readonly nodes: number
}

export interface Database {
  readonly engine: 'sqlite' | 'postgres'
  /** Where it is, for people; without a password. */
  readonly where: string
  readonly db: Db
  readonly types: ColumnTypes
  /** Work that takes longer than a request may, such as a migration: no time-out of an answer ends it. */
  patiently<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** Reads everything as it is at one moment, while others go on writing. */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** Where several nodes work on it: calls back whenever another one, by whatever name, has committed something. */
  onForeignCommit?(listener: (by: string) => void): void
  /** Where writers of several nodes wait for one another: calls back how long each has waited for its turn. */
  onWriterWait?(listener: (wait: WriterWait) => void): void
  /** Of the pool, where there is one. */
  connections?(): { readonly busy: number; readonly idle: number; readonly awaited: number }
  /** Only there if several nodes share the connections of a server. */
  connectionBudget?(): Promise<ConnectionBudget>
  /** Where several nodes work on it: what they count together. */
  readonly sharedCounts?: SharedCounts
  /** Only there if nodes share the clock of the database. */
  readonly clock?: SharedClock
  /** Says for as long as it is open that a server works on it; of a file, its lock does (installation.ts). */
  serve?(): Promise<void>
  /** @throws Error of one sentence with `failureCode` where a server works on it. */
  requireNobodyServing?(): Promise<void>
  /** What has been committed, by whatever program. */
  readonly changes: Changes
  /** Bytes on disk, by part: what is logged ahead of the rest is `wal`. */
  size(): Promise<{ readonly main: number; readonly wal: number }>
  /** A sentence naming what is damaged, or undefined where the engine finds nothing (reads the whole database). */
  findDamage(): Promise<string | undefined>
  /**
   * Writes a copy of the whole database, as it is at one moment, to a new file, while others go on writing. It is not
   * synced. Fails where the database is damaged.
   */
  copyTo(file: string): Promise<void>
  close(): Promise<void>
}

/** Works in a transaction: the one that the caller has begun already, or one of its own. */
export function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db as Tx) : db.transaction().execute(work)
}

/** What a transaction relies on: transactions that name the same key never run in parallel. `content` is a SHA-256, hex. */
export type Key = `${'account' | 'trail' | 'image'}:${number}` | `content:${string}`

/** Not SQL: the driver intercepts it, so it never reaches a database. */
const keysText = 'keys'

/** The keys that the query passes to the driver; undefined if it is a statement. */
export const keysOf = ({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>) =>
  sql === keysText ? (parameters as readonly Key[]) : undefined

/**
 * Resolves once everything committed by now is numbered and durable: for code that acknowledges data which it has only read,
 * and which another transaction has stored.
 */
export const settled = async (db: Db): Promise<void> => db.settled?.()

const isDeadlock = (error: unknown): boolean =>
  error instanceof Error && 'sqlState' in error && error.sqlState === '40P01'

/**
 * Runs work in a transaction, in parallel with those that name other keys if the database can (PostgreSQL), and alone if it
 * cannot. Everything that the work reads to make a decision, and every row that it writes, must belong to one of the keys.
 * The keys are taken with the first statement: what the work does before it, it does without them.
 * docs/decisions/0121-writers-side-by-side.md lists these rows, and tests/database/keys.slow.test.ts checks them.
 * @param work may be called a second time, then alone, if the database has rolled back the first attempt.
 */
export async function inSharedTransaction<T>(
  db: Db,
  keys: readonly Key[],
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  if (!db.settled) return db.transaction().execute(work)
  try {
    return await db.connection().execute(async (one) => {
      await one.executeQuery(CompiledQuery.raw(keysText, [...keys]))
      return one.transaction().execute(work)
    })
  } catch (error) {
    if (!isDeadlock(error)) throw error
    return db.transaction().execute(work)
  }
}
