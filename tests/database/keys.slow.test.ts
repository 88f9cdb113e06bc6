// Decision 0121: shared transactions write only rows whose keys they have named. Runs the tests of both surfaces on a
// PostgreSQL that refuses all other rows.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { Client } from 'pg'
import { inSharedTransaction, type Key } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { startPostgres, whyNoPostgres } from '../helpers/postgres.ts'
import { watchKeys } from './key-watch.ts'

const tests = path.resolve(import.meta.dirname, '..')

/** Everything that writes in shared transactions, on every path: uploads, details, decisions, undo, the trash, and routes. */
const files = [
  'account-routes/goldens.test.ts',
  'account-routes/public-list/public-routes.test.ts',
  'account-routes/v2-routes.test.ts',
  'images/put-details.test.ts',
  'images/trash/trash.test.ts',

  'images/upload/upload-in-one.test.ts',
  'review/decisions.test.ts',
  'review/trust.test.ts',
  'review/undo.test.ts',
]

/** Tables that they write in shared transactions. */
const shared = [
  'account',
  'content',
  'counter',
  'image',
  'image_hash',
  'image_history',
  'near_pair',
  'outbox',
  'public_route',
  'rendition',
  'report',
  'retry',
  'route',
  'route_gpx',
  'route_shown',
  'trail',
]

void test(
  'parallel transactions write only rows whose keys they have named',
  { skip: whyNoPostgres() },
  async (t) => {
    const server = await startPostgres()
    t.after(() => server.end())
    const template = await server.createDatabase()
    const client = new Client({ connectionString: template })
    await client.connect()
    await watchKeys(client)

    // Proves that the check works.
    const database = await openDatabase({ engine: 'postgres', url: template })
    const write = (key: Key) =>
      inSharedTransaction(database.db, [key], (tx) =>
        tx
          .insertInto('content')
          .values({ sha256: 'ab'.repeat(32), bytes: 1, condemned_at: null })
          .execute(),
      )
    await assert.rejects(write('account:1'), /a row of content was written without its key/)
    await write(`content:${'ab'.repeat(32)}`)
    await database.db.deleteFrom('content').execute()
    await database.close()
    await client.query('delete from watched')
    await client.end()

    const child = spawn(
      process.execPath,
      ['--test', '--test-reporter=tap', ...files.map((file) => path.join(tests, file))],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
          ...process.env,
          NODE_TEST_CONTEXT: undefined,
          WAYMARK_TEST_POSTGRES: template,
          WAYMARK_TEST_NODES: '1',
        },
      },
    )
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
    assert.equal(
      code,
      0,
      said
        .split('\n')
        .filter((line) => /not ok|without its key/.test(line))
        .join('\n'),
    )
    assert.deepEqual(await writtenIn(template), shared)
  },
)

/** Tables written in shared transactions, over all databases of the server. */
async function writtenIn(template: string): Promise<string[]> {
  const seen = new Set<string>()
  const url = new URL(template)
  const ask = async (name: string, query: string): Promise<readonly { readonly name: string }[]> => {
    url.pathname = `/${name}`
    const client = new Client({ connectionString: url.href })
    await client.connect()
    const { rows } = await client.query<{ name: string }>(query)
    await client.end()
    return rows
  }
  const databases = await ask(
    'postgres',
    `select datname as name from pg_database where datname like 'test_%'`,
  )
  for (const { name } of databases)
    for (const row of await ask(name, `select name from watched where how = 'shared'`)) seen.add(row.name)
  return [...seen].toSorted()
}
