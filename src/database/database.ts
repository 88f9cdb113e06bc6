// The open database, as every table file gets it, with either engine.
import { CompiledQuery, type Expression, type Kysely, type Transaction } from 'kysely'
import type { Changes } from '../commits.ts'
import type { SharedClock } from './postgres/shared-clock.ts'
import type { SharedCounts } from './postgres/shared-counts.ts'
import type { Schema } from './schema.ts'

/**
 * Queries the first row synchronously, bypassing kysely's layers, which cost several times what SQLite does.
 * @returns null if there is none, and undefined if it must be queried the ordinary way: while a transaction is open,
 * whose data nobody else may see, and after any failure.
 */
export type ReadAtOnce = (parameters: readonly unknown[]) => object | null | undefined

/**
 * A connection or an open transaction: table files accept either, so that a read inside a transaction sees its writes.
 * The first two are only for hot-query.ts. `prepareRead` is missing if the engine does not support it, in a
 * transaction, or with a plugin.
 */
export type Db = Kysely<Schema> & {
  readonly prepareRead?: (text: string) => ReadAtOnce
  /**
   * A number that changes whenever anything may have been committed, by any program; constant within one turn of the
   * event loop, except for our own commits. Missing if the engine cannot tell.
   */
  readonly commitMark?: () => number
  /** Only there if transactions can run in parallel; for `settled` and `inSharedTransaction` alone. */
  readonly settled?: () => Promise<void>
  /** How often the database may have lost its last writes since it was opened, by a crash or a failover. */
  readonly failovers?: () => number
}
export type Tx = Transaction<Schema>

/** Column types with different names in the engines. */
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
  /** The location for display, without a password. */
  readonly where: string
  readonly db: Db
  readonly types: ColumnTypes
  /** Work that takes longer than a request may, such as a migration: no time-out of an answer ends it. */
  patiently<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** Reads everything from one snapshot, while others continue to write. */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** With several nodes: calls back whenever another one has committed something. */
  onForeignCommit?(listener: (by: string) => void): void
  /** If writers of several nodes wait for one another: calls back how long each has waited. */
  onWriterWait?(listener: (wait: WriterWait) => void): void
  /** Of the pool, if there is one. */
  connections?(): { readonly busy: number; readonly idle: number; readonly awaited: number }
  /** Only there if several nodes share the connections of a server. */
  connectionBudget?(): Promise<ConnectionBudget>
  /** With several nodes: their shared counts. */
  readonly sharedCounts?: SharedCounts
  /** Only there if nodes share the clock of the database. */
  readonly clock?: SharedClock
  /** Registers a running server for as long as it is open; for a file, its lock does that (installation.ts). */
  serve?(): Promise<void>
  /** @throws Error of one sentence with `failureCode` if a server is running on it. */
  requireNobodyServing?(): Promise<void>
  /** What any program has committed. */
  readonly changes: Changes
  /** Bytes on disk, by part; `wal` is the write-ahead log. */
  size(): Promise<{ readonly main: number; readonly wal: number }>
  /** A sentence naming what is damaged, or undefined if the engine finds nothing (reads the whole database). */
  findDamage(): Promise<string | undefined>
  /**
   * Writes a snapshot of the whole database to a new file, while others continue to write. It is not synced. Fails if
   * the database is damaged.
   */
  copyTo(file: string): Promise<void>
  close(): Promise<void>
}

/** Works in the caller's transaction, or in its own if there is none. */
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
