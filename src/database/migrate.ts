// Brings the schema up to date: numbered migrations, each in a transaction, in order, never twice.
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { sql, type Kysely } from 'kysely'
import { DEFAULT_MIGRATION_TABLE, Migrator, type Migration } from 'kysely/migration'
import { findArrival, requireArrived } from './arrival.ts'
import type { ColumnTypes, Database } from './database.ts'

type Up = (db: Kysely<unknown>, types: ColumnTypes, engine: Database['engine']) => Promise<void>

/** A file in the folder is a migration: its number and name are those under which the database remembers it. */
const folder = new URL('migrations/', import.meta.url)
const files = (await readdir(folder)).filter((file) => /^\d{4}-.+\.ts$/.test(file)).toSorted()
const migrations = Object.fromEntries(
  await Promise.all(
    files.map(async (file) => {
      const { up } = (await import(new URL(file, folder).href)) as { up: Up }
      return [path.parse(file).name, up] as const
    }),
  ),
)

/**
 * How many of the migrations, from the first on, a program must know to work on the current schema. While nodes are
 * replaced one by one, older ones run beside newer ones: so migrations first add (expand); only a later version, once
 * no node needs the old form, removes it (contract) and raises this number.
 */
const neededMigrations = 8
const needed = 'schema:needed'

export interface SchemaState {
  /** Names of migrations run just now. */
  readonly applied: readonly string[]
  /** Name of the newest migration of this program. */
  readonly latest: string
}

function migratorOf(database: Pick<Database, 'db' | 'types' | 'engine'>): Migrator {
  const entries = Object.entries(migrations).map(([name, up]): [string, Migration] => [
    name,
    { up: (db) => up(db, database.types, database.engine) },
  ])
  return new Migrator({
    db: database.db,
    provider: { getMigrations: async () => Object.fromEntries(entries) },
  })
}

/**
 * @returns the name of a migration that a newer Waymark has run.
 * @throws Error of one sentence if a migration or restore of data has not finished.
 */
async function findUnknown(
  { db }: Pick<Database, 'db'>,
  isArriving: 'arriving' | 'arrived',
): Promise<string | undefined> {
  const found = await db.introspection.getTables({ withInternalKyselyTables: true })
  const tables = found.map(({ name }) => name)
  if (isArriving === 'arrived') requireArrived(await findArrival(db, tables))
  if (!tables.includes(DEFAULT_MIGRATION_TABLE)) return undefined
  const { rows } = await sql<{
    name: string
  }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(db)
  return rows.find(({ name }) => !Object.hasOwn(migrations, name))?.name
}

/** The name of a migration that a newer Waymark has run, as in a rolling upgrade; undefined if there is none. */
export const findNewerMigration = (db: Database['db']): Promise<string | undefined> =>
  findUnknown({ db }, 'arriving')

/**
 * @throws Error of one sentence if a newer Waymark wrote the database, or a migration or restore of data has not
 * finished.
 */
async function requireKnown(
  database: Pick<Database, 'db'>,
  isArriving: 'arriving' | 'arrived',
): Promise<void> {
  const unknown = await findUnknown(database, isArriving)
  if (unknown !== undefined) throw tooNew(unknown)
}

const tooNew = (unknown: string): Error =>
  new Error(
    `The database was written by a newer version of Waymark, which has ${unknown}: install that version again, or restore a backup from before the upgrade.`,
  )

/** Whether this version can work with the schema of the newer one. */
async function isGoodEnough({ db }: Pick<Database, 'db'>): Promise<boolean> {
  const row = await db.selectFrom('counter').select('value').where('name', '=', needed).executeTakeFirst()
  return row !== undefined && row.value <= Object.keys(migrations).length
}

/** Before anything is removed, so that no older program starts in between. */
async function raiseNeeded({ db }: Pick<Database, 'db'>): Promise<void> {
  await db
    .insertInto('counter')
    .values({ name: needed, value: neededMigrations })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ value: neededMigrations })
        .where('counter.value', '<', neededMigrations),
    )
    .execute()
}

interface MigrateOptions {
  /** `arriving` is set by a migration or restore of data; everything else is refused on an unfinished one. */
  readonly state?: 'arriving' | 'arrived'
  /** The last migration to run, for a copy of an older database. */
  readonly upTo?: string
  /** Whether what a newer Waymark has only added to will do, as for a node that is about to be replaced. */
  readonly mayBeNewer?: boolean
}

/**
 * Runs the pending migrations.
 * @throws Error of one sentence if a newer Waymark wrote the database, or a migration or restore of data has not
 * finished.
 */
export async function migrate(
  database: Database,
  { state = 'arrived', upTo, mayBeNewer = false }: MigrateOptions = {},
): Promise<SchemaState> {
  const latest = Object.keys(migrations).at(-1) ?? ''
  const unknown = await findUnknown(database, state)
  if (unknown !== undefined) {
    if (mayBeNewer && (await isGoodEnough(database))) return { applied: [], latest }
    throw tooNew(unknown)
  }
  const isNew = (await schemaOf(database, state)) === undefined
  const { error, results = [] } = await database.patiently(async (db) => {
    const migrator = migratorOf({ db, types: database.types, engine: database.engine })
    if (!isNew) await raiseNeeded({ db })
    return upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo)
  })
  if (error !== undefined) {
    throw error instanceof Error
      ? error
      : new Error('The schema could not be brought up to date.', { cause: error })
  }
  if (isNew && results.length > 0) await raiseNeeded(database)
  return {
    applied: results.filter(({ status }) => status === 'Success').map(({ migrationName }) => migrationName),
    latest,
  }
}

/** Names of migrations that have not run yet; looks only. Throws as `migrate` does. */
export async function pendingMigrations(
  database: Pick<Database, 'db' | 'types' | 'engine'>,
): Promise<string[]> {
  await requireKnown(database, 'arrived')
  const known = await migratorOf(database).getMigrations()
  return known.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name)
}

/** The newest migration that has run, or undefined if none has; only reads. Throws like `migrate`. */
export async function schemaOf(
  database: Pick<Database, 'db' | 'types' | 'engine'>,
  state: MigrateOptions['state'] = 'arrived',
): Promise<string | undefined> {
  await requireKnown(database, state)
  const known = await migratorOf(database).getMigrations()
  return known.findLast(({ executedAt }) => executedAt !== undefined)?.name
}
