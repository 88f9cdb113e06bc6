// PostgreSQL through pg: several nodes on one database. What is true of both engines is in tests/database/database-suite.ts.
import { Kysely, sql } from 'kysely'
import { Client } from 'pg'
import {
  otherConnections,
  standardConnections,
  type DatabasePlace,
} from '../../settings/database-settings.ts'
import { createChanges, type Change } from '../../commits.ts'
import { createBeginWritten } from '../written.ts'
import type { ColumnTypes, Database, Db, WriterWait } from '../database.ts'
import type { Schema } from '../schema.ts'
import { copyToSqlite } from './copy-to-sqlite.ts'
import { createCommitWatch } from './commit-watch.ts'
import { readConnectionBudget } from './connection-budget.ts'
import { clientConfig, endPool, openPool } from './connections.ts'
import { createPostgresDialect } from './dialect.ts'
import { createPostgresDriver } from './driver.ts'
import { createFailoverWatch } from './failovers.ts'
import { lockSpace, servingLock } from './locks.ts'
import { createPreparedNames } from './prepared-names.ts'
import { createSequencer } from './sequencer.ts'
import { askDatabase, createSharedClock } from './shared-clock.ts'
import { createSharedCounts } from './shared-counts.ts'
import { createWriterGroups, groupBounds, type WriterGroupsDependencies } from './writer-groups.ts'
import { createWriterPlaces } from './writer-places.ts'

const types: ColumnTypes = { id: sql`bigint`, whole: sql`bigint`, bytes: sql`bytea` }

/** PostgreSQL of 2022, the oldest that is still kept up. */
const oldestVersion = 150_000

/** One that has been idle for so long is closed. */
const idleMs = 60_000

/** What a connection string names, without its password. */
export function shownPlace(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? 'postgres' : `${parsed.host}${parsed.pathname}`
}

interface Facts {
  readonly version: number
  readonly fsync: string
  readonly synchronous: string
}

/** Of a wrong name, password or database: 28 and 3D of SQLSTATE (PostgreSQL, appendix A). */
const isWrongSetting = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(?:28|3D)...$/.test(String(error.code))

/** One sentence with what PostgreSQL, or the way to it, said: a wrong name or password is seen at once. */
function cannotOpen(error: unknown, where: string): Error {
  const { cause = error } = error instanceof Error ? error : {}
  const why = cause instanceof Error ? cause.message : String(cause)
  return Object.assign(new Error(`The PostgreSQL at ${where} cannot be used: ${why}.`, { cause: error }), {
    failureCode: isWrongSetting(cause) ? 'wrong-setting' : 'unreachable',
  })
}

/** What every start relies on. @throws Error of one sentence. */
async function requireSuitable(db: Db, where: string): Promise<void> {
  const { rows } = await sql<Facts>`select
    current_setting('server_version_num')::int as version,
    current_setting('fsync') as fsync,
    current_setting('synchronous_commit') as synchronous`
    .execute(db)
    .catch((error: unknown) => {
      throw cannotOpen(error, where)
    })
  const [facts] = rows
  if (facts === undefined) return
  if (facts.version < oldestVersion)
    throw new Error(`The PostgreSQL at ${where} (DATABASE_URL) is older than 15: update it.`)
  if (facts.fsync === 'off' || facts.synchronous === 'off')
    throw new Error(
      `The PostgreSQL at ${where} acknowledges writes that are not on disk (fsync or synchronous_commit is off): turn both on.`,
    )
}

/** Connections that take their time, a few at once, for as long as the work lasts. */
async function withPatience<T>(
  url: string,
  callbacks: Pick<WriterGroupsDependencies, 'notification' | 'payload' | 'committed' | 'unsure'>,
  transactions: 'writing' | 'snapshot',
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const { maintenance: max } = otherConnections
  const pool = openPool({ ...clientConfig({ url, name: 'waymark maintenance', isPatient: true }), max })
  const names = { nameOf: () => undefined }
  const bounds = { ...groupBounds, maxWaitMs: undefined }
  const groups = transactions === 'writing' ? createWriterGroups({ pool, bounds, ...callbacks }) : undefined
  const createDriver = () => createPostgresDriver({ pool, names, beginWritten: createBeginWritten(), groups })
  const db = new Kysely<Schema>({ dialect: createPostgresDialect(createDriver) })
  try {
    return await work(db)
  } finally {
    await db.destroy()
    await endPool(pool)
  }
}

/** What a database that was damaged shows of it, where PostgreSQL has noticed. */
async function findDamage(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ checksums: number | null; indexes: number; constraints: number }>`select
    (select checksum_failures from pg_stat_database where datname = current_database()) as checksums,
    (select count(*) from pg_index where not indisvalid) as indexes,
    (select count(*) from pg_constraint where not convalidated) as constraints`.execute(db)
  const [found] = rows
  if (found === undefined) return undefined
  if (found.checksums) return `PostgreSQL has found ${found.checksums} pages with an incorrect checksum.`
  if (found.indexes > 0) return `${found.indexes} indexes are not valid: run REINDEX DATABASE.`
  return found.constraints > 0 ? `${found.constraints} constraints were never validated.` : undefined
}

type PostgresPlace = Extract<DatabasePlace, { readonly engine: 'postgres' }>

/** @throws Error in the terms of the system where it does not answer, of one sentence where it will not do. */
export async function openPostgres({
  url,
  connections = standardConnections,
}: PostgresPlace): Promise<Database> {
  const pool = openPool({
    ...clientConfig({ url, name: 'waymark' }),
    max: connections,
    idleTimeoutMillis: idleMs,
  })
  let isServing = false
  let hearWait: ((wait: WriterWait) => void) | undefined
  const holdServing = (client: Client): Promise<unknown> =>
    client.query('select pg_advisory_lock_shared($1, $2)', [lockSpace, servingLock])
  const failovers = createFailoverWatch()
  const changes = createChanges({ look: () => watch.look() })
  const watch = createCommitWatch({
    onCommit: changes.committed,
    isAwaited: (ids) => sequencer.isAwaited(ids),
    onNumbered: (ids, goesOn) => sequencer.tell(ids, goesOn),
    createClient: () => new Client(clientConfig({ url, name: 'waymark listener' })),
    prepare: async (client) => {
      failovers.look()
      if (isServing) await holdServing(client)
    },
  })
  const { notification, payload, committed, mark } = watch
  const sequencerPool = openPool({
    ...clientConfig({ url, name: 'waymark sequencer' }),
    max: otherConnections.sequencer,
    idleTimeoutMillis: idleMs,
  })
  const sequencer = createSequencer({
    pool: sequencerPool,
    payload,
    committed,
    numberedForOthers: watch.numberedForOthers,
    unsure: watch.unsure,
  })
  const callbacks = {
    notification,
    payload,
    unsure: watch.unsure,
    committed: (change: Change, ids: readonly number[]) => {
      committed(change)
      if (ids.length === 0) return
      sequencer.tell(new Set(ids), false)
      watch.numberedForOthers()
    },
  }
  const names = createPreparedNames()
  const groups = createWriterGroups({ pool, bounds: groupBounds, ...callbacks })
  const places = createWriterPlaces(Math.max(1, Math.floor(connections / 2)))
  const kysely = new Kysely<Schema>({
    dialect: createPostgresDialect(() =>
      createPostgresDriver({
        pool,
        names,
        beginWritten: createBeginWritten(),
        groups,
        sides: { sequencer, places },
        waited: (wait) => hearWait?.(wait),
      }),
    ),
  })
  const db: Db = Object.assign(kysely, {
    commitMark: mark,
    settled: sequencer.settled,
    failovers: failovers.count,
  })
  const clock = createSharedClock({ ask: () => askDatabase(db) })

  try {
    await requireSuitable(db, shownPlace(url))
    await watch.start()
  } catch (error) {
    await watch.close()
    await endPool(sequencerPool)
    await endPool(pool)
    throw error
  }
  return {
    engine: 'postgres',
    where: shownPlace(url),
    db,
    types,
    changes,
    patiently: (work) => withPatience(url, callbacks, 'writing', work),
    snapshot: (work) =>
      withPatience(url, callbacks, 'snapshot', (patient) => patient.transaction().execute(work)),
    onForeignCommit: watch.onForeignCommit,
    onWriterWait: (listener) => {
      hearWait = listener
    },
    connections: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      awaited: pool.waitingCount,
    }),
    connectionBudget: () => readConnectionBudget(db),
    sharedCounts: createSharedCounts(pool),
    clock,
    serve: async () => {
      isServing = true
      sequencer.watch()
      await watch.onListener(holdServing)
    },
    requireNobodyServing: async () => {
      const { rows } = await sql<{ isHeld: number }>`select exists (
        select from pg_locks where locktype = 'advisory' and classid = ${lockSpace} and objid = ${servingLock}
          and database = (select oid from pg_database where datname = current_database()) and granted
      ) as "isHeld"`.execute(db)
      if (rows[0]?.isHeld !== 1) return
      throw Object.assign(new Error('A Waymark server uses this database: stop it first.'), {
        failureCode: 'server-running',
      })
    },
    size: async () => {
      const { rows } = await sql<{
        bytes: number
      }>`select pg_database_size(current_database()) as bytes`.execute(db)
      return { main: rows[0]?.bytes ?? 0, wal: 0 } // its log is the server's
    },
    findDamage: () => findDamage(db),
    copyTo: (file) => copyToSqlite({ engine: 'postgres', db, types, url }, file),
    close: async () => {
      await sequencer.close()
      clock.close()
      await watch.close()
      await kysely.destroy()
      await endPool(sequencerPool)
      await endPool(pool)
    },
  }
}
