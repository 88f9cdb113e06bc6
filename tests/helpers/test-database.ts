// The database of a test's Waymark: SQLite, or its own on the PostgreSQL of the test run.
import { createHash } from 'node:crypto'
import { constants, rmSync } from 'node:fs'
import { copyFile, mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { Client } from 'pg'
import { migrate } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { fileOf, type DatabasePlace } from '../../src/settings/database-settings.ts'
import { parentOfFolders } from './folders.ts'

/** URL of a database with an empty schema, set by `node tests/on-postgres.ts`. */
const template = process.env['WAYMARK_TEST_POSTGRES'] ?? ''

/** One database per folder, created on first use, so that a restarted Waymark finds its data. */
export async function databaseSettingFor(folder: string): Promise<{ DATABASE_URL?: string }> {
  if (template === '') return {}
  const url = new URL(template)
  const source = url.pathname.slice(1)
  const name = `test_${createHash('sha256').update(folder).digest('hex').slice(0, 24)}`
  url.pathname = '/postgres'
  const client = new Client({ connectionString: url.href })
  await client.connect()
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database ${name} template ${source}`)
  } finally {
    await client.end()
  }
  url.pathname = `/${name}`
  return { DATABASE_URL: url.href }
}

let made: Promise<string> | undefined

/** A file with an empty schema, created once per process: migrations take half of the startup time. */
async function makeSchemaFile(): Promise<string> {
  const folder = await mkdtemp(path.join(parentOfFolders(), 'waymark-schema-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'waymark.sqlite')
  const database = await openDatabase({ engine: 'sqlite', file })
  await migrate(database)
  await database.close()
  return file
}

/** Copies the schema to a database file that does not exist yet, so that startup has nothing to migrate. */
export async function layOutSchema(place: DatabasePlace): Promise<void> {
  if (place.engine !== 'sqlite') return
  made ??= makeSchemaFile()
  const { COPYFILE_EXCL } = constants
  await copyFile(await made, fileOf(place), COPYFILE_EXCL).catch(() => undefined) // the file exists: a start on old data
}
