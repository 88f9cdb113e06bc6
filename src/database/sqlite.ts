// SQLite through node:sqlite: the dialect, its settings, and everything only SQLite understands.
import { closeSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import {
  CompiledQuery,
  Kysely,
  sql,
  SqliteDialect,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type SqliteDatabase,
} from 'kysely'
import { createStorageFaults, type StorageFaults } from '../storage-faults.ts'
import type { ColumnTypes, Database, ReadAtOnce } from './database.ts'
import type { Schema } from './schema.ts'

/** Statements kept prepared. Every query of ours is one of a fixed set of texts, but for lists of values. */
const statementsKept = 500

const types: ColumnTypes = { id: sql`integer`, whole: sql`integer`, bytes: sql`blob` }

/** Result codes that callers are told as the file system tells such things, whichever engine met them. */
const systemErrors: Readonly<Record<number, { readonly code: string; readonly message: string }>> = {
  5: { code: 'EBUSY', message: 'The database is in use by another program.' },
  7: { code: 'ENOMEM', message: 'There is no memory left for the database.' },
  8: { code: 'EROFS', message: 'The database may not be written.' },
  10: { code: 'EIO', message: 'The disk of the database reports an error.' },
  11: { code: 'EIO', message: 'The database is damaged.' },
  13: { code: 'ENOSPC', message: 'The disk of the database is full.' },
  14: { code: 'EMFILE', message: 'A file of the database cannot be opened.' },
  26: { code: 'EIO', message: 'The file of the database is none.' },
}

/** Extended codes of a failed fsync, of a file and of a folder. */
const lostWrites: ReadonlySet<number> = new Set([1_034, 1_290])

function resultCodeOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0
}

function inSystemTerms<T>(faults: StorageFaults, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = resultCodeOf(error)
    if (error instanceof Error && lostWrites.has(code)) faults.reportLoss(error)
    const known = systemErrors[code & 0xff]
    if (known === undefined) throw error
    const told = new Error(known.message, { cause: error })
    throw Object.assign(told, { code: known.code, syscall: 'sqlite', errcode: code })
  }
}

/** Between two checkpoints; some 1,000 pages of 4 KiB, as SQLite itself would take. */
const commitsBetweenCheckpoints = 64

/**
 * Moves what was committed from the log into the database file now and then. SQLite would do it by itself within a
 * commit and keep a failed fsync to itself; the next one, which the kernel then lets pass, would throw away the log.
 */
function createCheckpoint(connection: DatabaseSync, faults: StorageFaults): () => void {
  let commits = 0
  return () => {
    commits += 1
    if (commits < commitsBetweenCheckpoints) return
    commits = 0
    try {
      inSystemTerms(faults, () => connection.exec('pragma wal_checkpoint(passive)'))
    } catch {
      // The commit stands all the same, since it is in the log; a lost write is reported, anything else is tried again.
    }
  }
}

interface Prepared {
  readonly statement: StatementSync
  readonly isReader: boolean
}

/** node:sqlite in the form kysely's SQLite driver wants, with prepared statements kept by their text. */
function asKyselyDatabase(connection: DatabaseSync, faults: StorageFaults): SqliteDatabase {
  const prepared = new Map<string, Prepared>()
  const onCommit = createCheckpoint(connection, faults)

  function prepare(text: string): Prepared {
    const known = prepared.get(text)
    if (known) return known
    const statement = connection.prepare(text)
    // A statement with result columns reads; any other writes.
    const made = { statement, isReader: statement.columns().length > 0 }
    if (prepared.size >= statementsKept) prepared.delete(prepared.keys().next().value ?? '')
    prepared.set(text, made)
    return made
  }

  return {
    close: () => {
      prepared.clear()
      connection.close()
    },
    prepare: (text) => {
      const { statement, isReader } = prepare(text)
      const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
      return {
        reader: isReader,
        all: (parameters) => inSystemTerms(faults, () => statement.all(...values(parameters))),
        run: (parameters) => {
          const done = inSystemTerms(faults, () => statement.run(...values(parameters)))
          if (!connection.isTransaction) onCommit() // this was `commit`, or a statement that is its own transaction
          return done
        },
        iterate: (parameters) => statement.iterate(...values(parameters)) as IterableIterator<unknown>,
      }
    },
  }
}

/** A statement that meets another program's write lock waits for it this long. */
const busyForMs = 5_000
const longestPauseMs = 50

/**
 * Waits for the lock with the event loop free: SQLite's own wait would put the whole server to sleep. Inside a
 * transaction the lock is held already.
 */
async function whenFree<T>(connection: DatabaseSync, work: () => Promise<T>): Promise<T> {
  const until = performance.now() + busyForMs
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await work()
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === 'EBUSY'
      if (!isBusy || connection.isTransaction || performance.now() > until) throw error
      await setTimeout(pauseMs)
    }
  }
}

function waiting(connection: DatabaseSync, lent: DatabaseConnection): DatabaseConnection {
  return {
    executeQuery: (query) => whenFree(connection, () => lent.executeQuery(query)),
    streamQuery: (query, chunkSize) => lent.streamQuery(query, chunkSize),
  }
}

/**
 * kysely's SQLite dialect, but transactions begin IMMEDIATE: a deferred one that reads first and writes later
 * fails at once, without waiting, when a command-line tool has written in between.
 */
function immediateDialect(connection: DatabaseSync, faults: StorageFaults): Dialect {
  const plain = new SqliteDialect({ database: asKyselyDatabase(connection, faults) })
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
      let lent: DatabaseConnection | undefined // SQLite has one
      return {
        init: (options) => driver.init(options),
        acquireConnection: async (options) => {
          lent ??= waiting(connection, await driver.acquireConnection(options))
          return lent
        },
        beginTransaction: async (own) => {
          faults.requireNoLoss()
          await own.executeQuery(CompiledQuery.raw('begin immediate'))
        },
        commitTransaction: (own) => driver.commitTransaction(own),
        rollbackTransaction: async (own) => {
          // SQLite has ended the transaction itself where the disk is full; to roll it back again would fail, and that
          // failure would hide the one that tells why.
          if (connection.isTransaction) await driver.rollbackTransaction(own)
        },
        releaseConnection: (own, options) => driver.releaseConnection(own, options),
        destroy: (options) => driver.destroy(options),
      }
    },
  }
}

/** There is one connection: what it reads while it is in a transaction may never come to be, and its owner comes first. */
function createReads(connection: DatabaseSync) {
  function prepare(text: string) {
    const statement = connection.prepare(text)
    const names = statement.columns().map(({ name }) => name)
    statement.setReturnArrays(true) // half the work of objects, whose keys node:sqlite makes anew for each row
    return { statement, names }
  }

  return (text: string): ReadAtOnce => {
    let prepared: ReturnType<typeof prepare> | undefined
    return (parameters) => {
      if (connection.isTransaction) return undefined
      try {
        prepared ??= prepare(text)
        const { statement, names } = prepared
        const values: unknown = statement.get(...(parameters as readonly SQLInputValue[]))
        if (!Array.isArray(values)) return null
        const row: Record<string, unknown> = {}
        for (const [index, name] of names.entries()) row[name] = values[index]
        return row
      } catch {
        return undefined // asked again, it tells in our terms, or waits for who keeps it busy
      }
    }
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

export function openSqlite(file: string, faults: StorageFaults = createStorageFaults()): Database {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600)) // SQLite would let everybody on the machine read it
  const connection = new DatabaseSync(file, { timeout: busyForMs, enableForeignKeyConstraints: true })
  // What is deleted is overwritten: a person who left is not to be read in the free space of the file.
  connection.exec('pragma secure_delete = on')
  connection.exec('pragma journal_mode = wal')
  // FULL: a commit is on the disk before it is acknowledged. NORMAL, the usual companion of WAL, may lose the last
  // commits in a power cut.
  connection.exec('pragma synchronous = full')
  connection.exec('pragma wal_autocheckpoint = 0') // createCheckpoint does
  connection.exec('pragma busy_timeout = 0') // from here on it is whenFree that waits
  const kysely = new Kysely<Schema>({ dialect: immediateDialect(connection, faults) })
  const db = Object.assign(kysely, { prepareRead: createReads(connection) })
  return {
    engine: 'sqlite',
    db,
    types,
    findDamage: async () => {
      const found = integrityReport(connection)
      if (found[0] !== 'ok') return `SQLite reports: ${found.slice(0, 3).join('; ')}.`
      const foreign = connection.prepare('pragma foreign_key_check').all()
      return foreign.length > 0 ? `${foreign.length} rows point to rows that do not exist.` : undefined
    },
    copyTo: async (copy) => {
      closeSync(openSync(copy, 'wx', 0o600))
      // Not sqlite3_backup: it copies what was deleted too, and damage, and begins anew with each commit of another.
      await db.executeQuery(CompiledQuery.raw('vacuum into ?', [copy]))
    },
    close: async () => {
      await db.destroy()
      if (connection.isOpen) connection.close() // kysely closes only what it has used
    },
  }
}
