// Brings the schema up to date: numbered migrations, each in a transaction, in order, never twice.
import { sql } from 'kysely'
import { DEFAULT_MIGRATION_TABLE, Migrator, type Migration } from 'kysely/migration'
import { findArrival, requireArrived } from './arrival.ts'
import type { Database } from './database.ts'
import * as firstTables from './migrations/0001-first-tables.ts'
import * as retriesAndEdits from './migrations/0002-retries-and-edits.ts'
import * as imageCounts from './migrations/0003-image-counts.ts'
import * as readOnly from './migrations/0004-read-only.ts'
import * as signIn from './migrations/0005-sign-in.ts'
import * as routes from './migrations/0006-routes.ts'
import * as review from './migrations/0007-review.ts'
import * as growth from './migrations/0008-growth.ts'
import * as rateWindows from './migrations/0009-rate-windows.ts'

const migrations = {
  '0001-first-tables': firstTables,
  '0002-retries-and-edits': retriesAndEdits,
  '0003-image-counts': imageCounts,
  '0004-read-only': readOnly,
  '0005-sign-in': signIn,
  '0006-routes': routes,
  '0007-review': review,
  '0008-growth': growth,
  '0009-rate-windows': rateWindows,
}

export interface SchemaState {
  /** Names of migrations run just now. */
  readonly applied: readonly string[]
  /** Name of the newest migration of this program. */
  readonly latest: string
}

function migratorOf(database: Pick<Database, 'db' | 'types'>): Migrator {
  const entries = Object.entries(migrations).map(([name, { up }]): [string, Migration] => [
    name,
    { up: (db) => up(db, database.types) },
  ])
  return new Migrator({
    db: database.db,
    provider: { getMigrations: async () => Object.fromEntries(entries) },
  })
}

/** @throws Error of one sentence where the database was written by a newer Waymark, or holds half of a move or restore. */
async function requireKnown({ db }: Pick<Database, 'db'>, isArriving: 'arriving' | 'arrived'): Promise<void> {
  const found = await db.introspection.getTables({ withInternalKyselyTables: true })
  const tables = found.map(({ name }) => name)
  if (isArriving === 'arrived') requireArrived(await findArrival(db, tables))
  if (!tables.includes(DEFAULT_MIGRATION_TABLE)) return
  const { rows } = await sql<{
    name: string
  }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(db)
  const unknown = rows.find(({ name }) => !Object.hasOwn(migrations, name))
  if (unknown) {
    throw new Error(
      `The database was written by a newer Waymark, which has ${unknown.name}: update this one.`,
    )
  }
}

interface MigrateOptions {
  /** `arriving` for whoever brings a move or a restore; anybody else is refused on the half of one. */
  readonly state?: 'arriving' | 'arrived'
  /** The last migration to run, for a copy of a database that has had no more. */
  readonly upTo?: string
}

/**
 * Runs what has not run yet.
 * @throws Error of one sentence where the database was written by a newer Waymark, or holds half of a move or restore.
 */
export async function migrate(
  database: Database,
  { state = 'arrived', upTo }: MigrateOptions = {},
): Promise<SchemaState> {
  await requireKnown(database, state)
  const { error, results = [] } = await database.patiently((db) => {
    const migrator = migratorOf({ db, types: database.types })
    return upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo)
  })
  if (error !== undefined) {
    throw error instanceof Error
      ? error
      : new Error('The schema could not be brought up to date.', { cause: error })
  }
  return {
    applied: results.filter(({ status }) => status === 'Success').map(({ migrationName }) => migrationName),
    latest: Object.keys(migrations).at(-1) ?? '',
  }
}

/** Names of migrations that have not run yet; looks only. Throws as `migrate` does. */
export async function pendingMigrations(database: Pick<Database, 'db' | 'types'>): Promise<string[]> {
  await requireKnown(database, 'arrived')
  const known = await migratorOf(database).getMigrations()
  return known.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name)
}

/** The newest migration that has run, or undefined where none has; looks only. Throws as `migrate` does. */
export async function schemaOf(database: Pick<Database, 'db' | 'types'>): Promise<string | undefined> {
  await requireKnown(database, 'arrived')
  const known = await migratorOf(database).getMigrations()
  return known.findLast(({ executedAt }) => executedAt !== undefined)?.name
}
