// The open database: what every table file is given, whichever engine is behind it.
import type { Expression, Kysely, Transaction } from 'kysely'
import { openSqlite } from './sqlite.ts'
import type { Schema } from './schema.ts'

/** A connection or an open transaction: table files take either, so that a read inside a transaction sees it. */
export type Db = Kysely<Schema>
export type Tx = Transaction<Schema>

/** Column types that the engines spell differently. */
export interface ColumnTypes {
  /** 53-bit primary key (SQLite: `integer`, the row id itself; PostgreSQL: `bigint`). */
  readonly id: Expression<unknown>
  /** Any other whole number up to 2^53−1. */
  readonly whole: Expression<unknown>
}

export interface Database {
  readonly db: Db
  readonly types: ColumnTypes
  /** A sentence naming what is damaged, or undefined where the engine finds nothing (reads the whole database). */
  findDamage(): Promise<string | undefined>
  close(): Promise<void>
}

/** Opens (and makes, if need be) the database; the schema is `migrate`'s business. */
export async function openDatabase(settings: { readonly databaseFile: string }): Promise<Database> {
  return openSqlite(settings.databaseFile)
}
