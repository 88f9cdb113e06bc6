// Which database a test's Waymark works on: SQLite, or one of its own on the PostgreSQL that the test run names.
import { createHash } from 'node:crypto'
import { Client } from 'pg'

/** Address of a database with the schema and nothing in it, as `node tests/on-postgres.ts` sets it. */
const template = process.env['WAYMARK_TEST_POSTGRES'] ?? ''

/** For each folder one database, made when it is first asked for: a Waymark that is started again finds its data. */
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
