// SQLite through node:sqlite: its settings, its dialect, its care for the file, and everything only SQLite understands.
import { closeSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  CompiledQuery,
  Kysely,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type Dialect,
  type DialectAdapter,
} from 'kysely'
import { fileBytes } from '../../storage/disk-space.ts'
import { createStorageFaults, type StorageFaults } from '../../storage/storage-faults.ts'
import { createChanges, joined, type Change } from '../../commits.ts'
import { createBeginWritten } from '../written.ts'
import type { ColumnTypes, Database } from '../database.ts'
import type { Schema } from '../schema.ts'
import { createSqliteDriver } from './sqlite-driver.ts'
import { createGroups, groupBounds, type GroupBounds } from './sqlite-groups.ts'
import { createCommitWatch, createReads } from './sqlite-reads.ts'
import { readAtOneTime } from './sqlite-snapshot.ts'
import { createStatements, inSystemTerms, resultCodeOf } from './sqlite-statements.ts'

const types: ColumnTypes = { id: sql`integer`, whole: sql`integer`, bytes: sql`blob` }

/** How long to wait for another program while opening. */
const openingMs = 5_000
/**
 * The page cache. SQLite's default of 2 MB is too small for a large file: the 770 rows of a tile took 1.6 ms instead of
 * 0.7.
 */
const cacheKilobytes = 16 * 1024
const busy = 5

/** Between two checkpoints; some 1,000 pages of 4 KiB, as SQLite itself would take. */
const transactionsBetweenCheckpoints = 64

/**
 * Checkpoints the write-ahead log now and then. SQLite would do it within a commit and hide a failed fsync; the next
 * one, which the kernel then lets pass, would discard the log.
 */
function createCheckpoint(connection: DatabaseSync, faults: StorageFaults): (transactions: number) => void {
  let logged = 0
  return (transactions) => {
    logged += (1 + transactions) / 2 // the frames of one commit share about half of their pages
    if (logged < transactionsBetweenCheckpoints) return
    logged = 0
    try {
      inSystemTerms(faults, () => connection.exec('pragma wal_checkpoint(passive)'))
    } catch {
      // The commit is valid, since it is in the log; a lost write is reported, anything else is tried again.
    }
  }
}

interface DialectDependencies {
  readonly faults: StorageFaults
  readonly bounds: GroupBounds
  /** Called after each commit of ours. */
  readonly onCommit: (change: Change) => void
}

/**
 * kysely's dialect with our own driver. Transactions begin IMMEDIATE: a deferred one that reads first and writes later
 * fails at once, without waiting, if a command-line tool has written in between.
 */
function dialectOf(connection: DatabaseSync, { faults, bounds, onCommit }: DialectDependencies): Dialect {
  const statements = createStatements(connection, faults)
  const checkpoint = createCheckpoint(connection, faults)
  const isInTransaction = (): boolean => connection.isOpen && connection.isTransaction

  /** What the next COMMIT makes durable. */
  let change: Change = new Set()

  function committed(transactions: number): void {
    const made = change
    change = new Set()
    onCommit(made)
    checkpoint(transactions)
  }

  const groups = createGroups({
    bounds,
    isInTransaction,
    run: (text) => statements(text).run([]),
    requireNoLoss: faults.requireNoLoss,
    committed,
  })
  return {
    createAdapter: () =>
      Object.create(new SqliteAdapter(), {
        // kysely does not know that SQLite can roll back schema changes, and would run migrations outside a
        // transaction: a crash, or two concurrent first starts, would leave half a schema.
        supportsTransactionalDdl: { value: true },
        supportsMultipleConnections: { value: true }, // the driver orders them, so kysely need not
      }) as DialectAdapter,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () =>
      createSqliteDriver({
        statements,
        groups,
        beginWritten: createBeginWritten(),
        willCommit: (more) => {
          change = joined(change, more)
        },
        committed: () => committed(1),
        close: () => connection.close(),
      }),
  }
}

/** `ok`, or what is wrong. If the schema itself cannot be read, the check can only throw. */
function integrityReport(connection: DatabaseSync): string[] {
  try {
    const rows = connection.prepare('pragma integrity_check').all()
    return rows.map((row) => String(row['integrity_check']))
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

/**
 * If several first starts switch at once, SQLite refuses all but one immediately, whatever the timeout (it would have
 * to wait for a lock of which it holds a part).
 */
function switchToLog(connection: DatabaseSync): void {
  const giveUpAt = performance.now() + openingMs
  for (;;) {
    try {
      return connection.exec('pragma journal_mode = wal')
    } catch (error) {
      if (resultCodeOf(error) % 256 !== busy || performance.now() > giveUpAt) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5) // nothing else is open yet that could turn
    }
  }
}

/**
 * SQLite would create a file that every user of the machine can read. An existing file is not opened here: closing it
 * would release the locks of this process's other connections, as POSIX requires.
 */
function makePrivately(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

export function openSqlite(
  file: string,
  faults: StorageFaults = createStorageFaults(),
  bounds: GroupBounds = groupBounds,
): Database {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  makePrivately(file)
  const connection = new DatabaseSync(file, { timeout: openingMs, enableForeignKeyConstraints: true })
  // Deleted data is overwritten: a deleted account must not remain readable in the free pages of the file.
  connection.exec('pragma secure_delete = on')
  switchToLog(connection)
  // FULL: a commit is on the disk before it is acknowledged. NORMAL, the usual companion of WAL, may lose the last
  // commits in a power cut.
  connection.exec('pragma synchronous = full')
  connection.exec('pragma wal_autocheckpoint = 0') // createCheckpoint does
  connection.exec(`pragma cache_size = -${cacheKilobytes}`)
  connection.exec('pragma busy_timeout = 0') // from here on it is sqlite-groups.ts that waits
  const commits = createCommitWatch(connection, () => changes.committed('everything'))
  const changes = createChanges({ look: () => void commits.mark() })
  const onCommit = (change: Change): void => {
    commits.committed()
    changes.committed(change)
  }
  const dialect = dialectOf(connection, { faults, bounds, onCommit })
  const kysely = new Kysely<Schema>({ dialect })
  const db = Object.assign(kysely, { prepareRead: createReads(connection), commitMark: commits.mark })
  return {
    engine: 'sqlite',
    where: file,
    db,
    types,
    changes,
    patiently: (work) => work(db),
    snapshot: (work) => readAtOneTime(file, work),
    size: async () => ({ main: await fileBytes(file), wal: await fileBytes(`${file}-wal`) }),
    findDamage: async () => {
      const found = integrityReport(connection)
      if (found[0] !== 'ok') return `SQLite reports: ${found.slice(0, 3).join('; ')}.`
      const foreign = connection.prepare('pragma foreign_key_check').all()
      return foreign.length > 0 ? `${foreign.length} rows refer to rows that do not exist.` : undefined
    },
    copyTo: async (copy) => {
      closeSync(openSync(copy, 'wx', 0o600))
      // Not sqlite3_backup: it also copies deleted data and damage, and restarts with each commit of another
      // connection.
      await db.executeQuery(CompiledQuery.raw('vacuum into ?', [copy]))
    },
    close: async () => {
      await db.destroy()
      if (connection.isOpen) connection.close() // kysely closes only what it has used
    },
  }
}
