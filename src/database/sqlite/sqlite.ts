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
/** Of pages. SQLite's own 2 MB hold too little of a large file: the 770 rows of a tile took 1.6 ms, where they take 0.7. */
const cacheKilobytes = 16 * 1024
const busy = 5

/** Between two checkpoints; some 1,000 pages of 4 KiB, as SQLite itself would take. */
const transactionsBetweenCheckpoints = 64

/**
 * Moves what was committed from the log into the database file now and then. SQLite would do it by itself within a
 * commit and keep a failed fsync to itself; the next one, which the kernel then lets pass, would throw away the log.
 */
function createCheckpoint(connection: DatabaseSync, faults: StorageFaults): (transactions: number) => void {
  let logged = 0
  return (transactions) => {
    logged += (1 + transactions) / 2 // those of one commit have about half of their pages in common
    if (logged < transactionsBetweenCheckpoints) return
    logged = 0
    try {
      inSystemTerms(faults, () => connection.exec('pragma wal_checkpoint(passive)'))
    } catch {
      // The commit stands all the same, since it is in the log; a lost write is reported, anything else is tried again.
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
 * kysely's dialect over a driver of our own. Transactions begin IMMEDIATE: a deferred one that reads first and writes
 * later fails at once, without waiting, when a command-line tool has written in between.
 */
function dialectOf(connection: DatabaseSync, { faults, bounds, onCommit }: DialectDependencies): Dialect {
  const statements = createStatements(connection, faults)
  const checkpoint = createCheckpoint(connection, faults)
  const isInTransaction = (): boolean => connection.isOpen && connection.isTransaction

  /** Of those that the next COMMIT makes true. */
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
        // kysely does not know that SQLite can roll back a change of the schema, and would run migrations outside of any
        // transaction: a crash, or two first starts at once, would leave half a schema.
        supportsTransactionalDdl: { value: true },
        supportsMultipleConnections: { value: true }, // the driver keeps the order, and kysely need not
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

/** `ok` alone, or what is wrong. Where the schema itself cannot be read, the check can only throw. */
function integrityReport(connection: DatabaseSync): string[] {
  try {
    const rows = connection.prepare('pragma integrity_check').all()
    return rows.map((row) => String(row['integrity_check']))
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

/**
 * Of several first starts at once each makes the switch, and SQLite refuses all but one at once, whatever time-out there is
 * (it would have to wait for a lock that it holds a part of).
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
 * SQLite would let everybody on the machine read a file that it makes. One that is there is not opened: closing it again
 * would end the locks that other connections of this process have on it, as POSIX has it.
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
  // What is deleted is overwritten: a person who left is not to be read in the free space of the file.
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
      // Not sqlite3_backup: it copies what was deleted too, and damage, and begins anew with each commit of another.
      await db.executeQuery(CompiledQuery.raw('vacuum into ?', [copy]))
    },
    close: async () => {
      await db.destroy()
      if (connection.isOpen) connection.close() // kysely closes only what it has used
    },
  }
}
