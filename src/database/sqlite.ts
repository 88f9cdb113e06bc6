// SQLite through node:sqlite: the dialect, its settings, and everything only SQLite understands.
import { closeSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  Kysely,
  sql,
  SqliteDialect,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type SqliteDatabase,
} from 'kysely'
import type { ColumnTypes, Database } from './database.ts'
import type { Schema } from './schema.ts'

/** Statements kept prepared. Every query of ours is one of a fixed set of texts, but for lists of values. */
const statementsKept = 500

const types: ColumnTypes = { id: sql`integer`, whole: sql`integer` }

/** Primary result codes that callers are told as the file system tells such things, whichever engine met them. */
const systemErrors: Readonly<Record<number, { readonly code: string; readonly message: string }>> = {
  5: { code: 'EBUSY', message: 'The database is in use by another program.' },
  13: { code: 'ENOSPC', message: 'The disk of the database is full.' },
}

function inSystemTerms<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const primary = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0
    const known = systemErrors[primary]
    throw known ? Object.assign(new Error(known.message, { cause: error }), { code: known.code }) : error
  }
}

/** node:sqlite in the form kysely's SQLite driver wants, with prepared statements kept by their text. */
function asKyselyDatabase(connection: DatabaseSync): SqliteDatabase {
  const prepared = new Map<string, StatementSync>()

  function prepare(text: string): StatementSync {
    let statement = prepared.get(text)
    if (!statement) {
      statement = connection.prepare(text)
      if (prepared.size >= statementsKept) prepared.delete(prepared.keys().next().value ?? '')
      prepared.set(text, statement)
    }
    return statement
  }

  return {
    close: () => {
      prepared.clear()
      connection.close()
    },
    prepare: (text) => {
      const statement = prepare(text)
      const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
      return {
        // A statement with result columns reads; any other writes.
        reader: statement.columns().length > 0,
        all: (parameters) => inSystemTerms(() => statement.all(...values(parameters))),
        run: (parameters) => inSystemTerms(() => statement.run(...values(parameters))),
        iterate: (parameters) => statement.iterate(...values(parameters)) as IterableIterator<unknown>,
      }
    },
  }
}

/**
 * kysely's SQLite dialect, but transactions begin IMMEDIATE: a deferred one that reads first and writes later
 * fails at once, without waiting, when a command-line tool has written in between.
 */
function immediateDialect(connection: DatabaseSync): Dialect {
  const plain = new SqliteDialect({ database: asKyselyDatabase(connection) })
  return {
    // kysely does not know that SQLite can roll back a change of the schema, and would run migrations outside of any
    // transaction: a crash, or two first starts at once, would leave half a schema.
    createAdapter: () => {
      const overrides = { supportsTransactionalDdl: { value: true } }
      return Object.create(plain.createAdapter(), overrides) as DialectAdapter
    },
    createIntrospector: (db) => plain.createIntrospector(db),
    createQueryCompiler: () => plain.createQueryCompiler(),
    createDriver: (): Driver => {
      const driver = plain.createDriver()
      return {
        init: (options) => driver.init(options),
        acquireConnection: (options) => driver.acquireConnection(options),
        beginTransaction: async (lent) => {
          await lent.executeQuery(CompiledQuery.raw('begin immediate'))
        },
        commitTransaction: (lent) => driver.commitTransaction(lent),
        rollbackTransaction: async (lent) => {
          // SQLite has ended the transaction itself where the disk is full; to roll it back again would fail, and that
          // failure would hide the one that tells why.
          if (connection.isTransaction) await driver.rollbackTransaction(lent)
        },
        releaseConnection: (lent, options) => driver.releaseConnection(lent, options),
        destroy: (options) => driver.destroy(options),
      }
    },
  }
}

/** `ok` alone, or what is wrong. Where the schema itself cannot be read, the check can only throw. */
function integrityReport(connection: DatabaseSync): string[] {
  try {
    const rows = connection.prepare('pragma integrity_check').all()
    return rows.map((row) => String(row['integrity_check']))
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

export function openSqlite(file: string): Database {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600)) // SQLite would let everybody on the machine read it
  const connection = new DatabaseSync(file, { timeout: 5_000, enableForeignKeyConstraints: true })
  connection.exec('pragma journal_mode = wal')
  // FULL: a commit is on the disk before it is acknowledged. NORMAL, the usual companion of WAL, may lose the last
  // commits in a power cut.
  connection.exec('pragma synchronous = full')
  const db = new Kysely<Schema>({ dialect: immediateDialect(connection) })
  return {
    db,
    types,
    findDamage: async () => {
      const found = integrityReport(connection)
      if (found[0] !== 'ok') return `SQLite reports: ${found.slice(0, 3).join('; ')}.`
      const foreign = connection.prepare('pragma foreign_key_check').all()
      return foreign.length > 0 ? `${foreign.length} rows point to rows that do not exist.` : undefined
    },
    close: async () => {
      await db.destroy()
      if (connection.isOpen) connection.close() // kysely closes only what it has used
    },
  }
}
