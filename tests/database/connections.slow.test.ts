// A node never opens more connections than its settings say, and running nodes are counted.
import assert from 'node:assert/strict'
import { after, before, describe, test, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { settled } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { withScratchSchema } from '../../src/database/postgres/scratch-schema.ts'
import { connectionsOfNode, otherConnections } from '../../src/settings/database-settings.ts'
import { run } from '../cli/run-waymark.ts'
import { launchServer, until } from '../faults/harness/server.ts'
import { newFolder } from '../helpers/folders.ts'
import { startPostgres, whyNoPostgres, type PostgresServer } from '../helpers/postgres.ts'

/** Of the tests' PostgreSQL: max_connections=300, 3 of them reserved. */
const available = 297

void describe('connections to PostgreSQL', { skip: whyNoPostgres() }, () => {
  let server: PostgresServer | undefined
  before(async () => {
    server = await startPostgres()
  })
  after(() => server?.end())

  const open = async (t: TestContext, url: string, connections: number) => {
    const database = await openDatabase({ engine: 'postgres', url, connections })
    t.after(() => database.close())
    return database
  }

  void test('a node that is busy with everything at once opens as many as calculated, and no more', async (t) => {
    if (!server) throw new Error('no server')
    const url = await server.createDatabase()
    const requests = 4
    const node = await open(t, url, requests)
    await node.serve?.()
    const sleep = sql`select pg_sleep(0.2)`
    const many = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 12 }, work))
    const counting = {
      policy: 'p',
      bucket: 'b',
      count: 1,
      lengthMs: 60_000,
    }
    const busy = Promise.all([
      many(() => sleep.execute(node.db)),
      node.patiently((db) => many(() => sleep.execute(db))),
      many(async () => node.sharedCounts?.add([counting])),
      many(() => settled(node.db)),
    ])
    const name = new URL(url).pathname.slice(1)
    const seen = async () =>
      (await server?.query(
        `select application_name as name, count(*)::int as count from pg_stat_activity
         where datname = '${name}' group by 1 order by 1`,
      )) ?? []
    let max: readonly Record<string, unknown>[] = []
    const countOf = (rows: typeof max): number => rows.reduce((sum, { count }) => sum + Number(count), 0)
    const ended = new AbortController()
    const ending = busy.finally(() => ended.abort())
    while (!ended.signal.aborted) {
      const rows = await seen()
      if (countOf(rows) > countOf(max)) max = rows
    }
    await ending
    assert.deepEqual(max, [
      { name: 'waymark', count: requests },
      { name: 'waymark listener', count: otherConnections.listener },
      { name: 'waymark maintenance', count: otherConnections.maintenance },
      { name: 'waymark sequencer', count: otherConnections.sequencer },
    ])
    assert.equal(countOf(max), connectionsOfNode(requests))
  })

  void test('a drill outlives the end of its connection, and tells what its work met', async (t) => {
    if (!server) throw new Error('no server')
    const url = await server.createDatabase()
    const name = new URL(url).pathname.slice(1)
    const other = await open(t, url, 1)
    const schemas = sql<{
      name: string
    }>`select nspname as name from pg_namespace where nspname = 'waymark_drill'`
    const ended = sql<{ count: number }>`select count(*) as count from pg_stat_activity
      where application_name = 'waymark drill' and datname = ${name}`
    const drill = withScratchSchema(url, async () => {
      await server?.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'waymark drill' and datname = '${name}'`,
      )
      while ((await ended.execute(other.db)).rows[0]?.count !== 0) await new Promise(setImmediate)
      throw new Error('the work failed')
    })
    await assert.rejects(drill, /the work failed/)
    assert.equal((await schemas.execute(other.db)).rows.length, 1)
    assert.equal(await withScratchSchema(url, async () => 'done'), 'done')
    assert.equal((await schemas.execute(other.db)).rows.length, 0)
  })

  void test('no connection uses JIT compilation, which takes longer than the queries', async (t) => {
    if (!server) throw new Error('no server')
    const node = await open(t, await server.createDatabase(), 2)
    const show = sql<{ jit: string }>`show jit`
    assert.deepEqual((await show.execute(node.db)).rows, [{ jit: 'off' }])
    assert.deepEqual((await node.patiently((db) => show.execute(db))).rows, [{ jit: 'off' }])
  })

  void test('doctor counts the running nodes of this database only, and fails if they may open too many', async (t) => {
    if (!server) throw new Error('no server')
    const [url, other] = [await server.createDatabase(), await server.createDatabase()]
    for (const place of [url, url, other]) await (await open(t, place, 2)).serve?.()
    const settings = { DATABASE_URL: url, DATABASE_CONNECTIONS: '200', WEB_APP: 'off' }
    const { server: third, listening } = launchServer({ dataDir: await newFolder(t), settings })
    t.after(() => third.end('SIGKILL'))
    assert.ok(await listening(), third.said.stderr)
    await third.end('SIGTERM') // its log is complete by then
    assert.match(third.said.stdout, /"3 nodes may open 612 connections to PostgreSQL, but it has 297: lower /)
    const idle = await open(t, url, 2)
    // PostgreSQL ends a session shortly after its client.
    await until(async () => (await idle.connectionBudget?.())?.nodes === 2, 'the third to be gone')
    assert.deepEqual(await idle.connectionBudget?.(), { available, nodes: 2 })
    const doctor = async (connections: number) => {
      const settings = { DATABASE_URL: url, DATABASE_CONNECTIONS: String(connections) }
      return (await run(['doctor', '--all'], { dataDir: await newFolder(t), settings })).stdout
    }
    assert.match(
      await doctor(10),
      /^✓ 2 nodes may open 28 connections; PostgreSQL allows 297, and a node needs/m,
    )
    assert.match(
      await doctor(200),
      /^✗ 2 nodes may open 408 connections to PostgreSQL, but it has 297: lower DATABASE_CONNECTIONS from 200 to 144, /m,
    )
  })
})
