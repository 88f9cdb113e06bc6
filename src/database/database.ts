// The open database: what every table file is given, whichever engine is behind it.
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Expression, Kysely, Transaction } from 'kysely'
import type { StorageFaults } from '../storage-faults.ts'
import { openSqlite } from './sqlite.ts'
import type { Schema } from './schema.ts'

/**
 * Asks for the first row at once, past kysely's layers, which cost several times what SQLite does.
 * @returns null where there is none, and undefined where it must be asked for in the ordinary way: within a transaction,
 *   which nobody else may look into, and after any failure.
 */
export type ReadAtOnce = (parameters: readonly unknown[]) => object | null | undefined

/**
 * A connection or an open transaction: table files take either, so that a read inside a transaction sees it.
 * Both are for hot-query.ts alone. `prepareRead` is not there where the engine cannot, in a transaction, or with a plugin.
 */
export type Db = Kysely<Schema> & {
  readonly prepareRead?: (text: string) => ReadAtOnce
  /**
   * A number that is another whenever anything may have been committed since, by whatever program; the same within one
   * turn of the event loop, unless it was we who committed. Not there where the engine cannot tell.
   */
  readonly commitMark?: () => number
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

export interface Database {
  /** Which engine is behind it, as backups name it. */
  readonly engine: 'sqlite'
  readonly db: Db
  readonly types: ColumnTypes
  /** A sentence naming what is damaged, or undefined where the engine finds nothing (reads the whole database). */
  findDamage(): Promise<string | undefined>
  /**
   * Writes a copy of the whole database, as it is at one moment, to a new file, while others go on writing. It is not
   * synced. Fails where the database is damaged.
   */
  copyTo(file: string): Promise<void>
  close(): Promise<void>
}

/** A database that a restore is still working on. The file is renamed in the end, so that there is never half of one. */
export const restoringFileOf = (databaseFile: string): string => `${databaseFile}.restoring`

/**
 * Opens (and makes, if need be) the database; the schema is `migrate`'s business.
 * @throws Error of one sentence where a restore began here and never ended.
 */
export async function openDatabase(
  settings: { readonly databaseFile: string },
  faults?: StorageFaults,
): Promise<Database> {
  const restoring = restoringFileOf(settings.databaseFile)
  if (existsSync(restoring)) {
    throw new Error(
      `A restore into ${path.dirname(restoring)} is under way, or was interrupted: run "waymark restore" again, or delete ${path.basename(restoring)} to do without.`,
    )
  }
  return openSqlite(settings.databaseFile, faults)
}

/** Works in a transaction: the one that the caller has begun already, or one of its own. */
export function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db as Tx) : db.transaction().execute(work)
}
