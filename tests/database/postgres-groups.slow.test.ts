// Group commit on PostgreSQL: waiting writers share a commit, and are isolated from each other.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Client } from 'pg'
import type { Database } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { lockSpace, writeLock } from '../../src/database/postgres/locks.ts'
import { startPostgres, whyNoPostgres, type PostgresServer } from '../helpers/postgres.ts'

void describe('group commit on PostgreSQL', { skip: whyNoPostgres() }, () => {
  let server: PostgresServer
  let database: Database
  let observer: Client
  let notified = 0

  before(async () => {
    server = await startPostgres()
    const url = await server.createDatabase()
    database = await openDatabase({ engine: 'postgres', url })
    observer = new Client({ connectionString: url })
    await observer.connect()
    observer.on('notification', () => (notified += 1))
    await observer.query('listen waymark_commit')
  })
  after(async () => {
    await observer?.end()
    await database?.close()
    await server?.end()
  })

  const lock = (end: '' | 'un'): Promise<unknown> =>
    observer.query(`select pg_advisory_${end}lock(${lockSpace}, ${writeLock})`)

  const add = (name: string, isKept = true): Promise<void> =>
    database.db.transaction().execute(async (tx) => {
      await tx.insertInto('counter').values({ name, value: 1 }).execute()
      if (!isKept) throw new Error(`not ${name}`)
    })

  async function namesOf(prefix: string): Promise<string[]> {
    const rows = await database.db
      .selectFrom('counter')
      .select('name')
      .where('name', 'like', `${prefix}%`)
      .orderBy('name')
      .execute()
    return rows.map(({ name }) => name)
  }

  /** Starts all while the lock is held, so that they wait together. */
  async function together(...begin: (() => Promise<unknown>)[]): Promise<PromiseSettledResult<unknown>[]> {
    await lock('')
    const all = Promise.allSettled(begin.map((one) => one()))
    const { rows } = await observer.query('select 1') // one loop turn: all of them have been requested
    assert.equal(rows.length, 1)
    notified = 0
    await lock('un')
    const ended = await all
    await observer.query('select 1') // notifications sent before the responses have arrived
    return ended
  }

  void test('waiting transactions share one commit and one notification', async () => {
    const ended = await together(...['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => () => add(name)))
    assert.deepEqual(
      ended.map(({ status }) => status),
      Array.from({ length: 5 }, () => 'fulfilled'),
    )
    assert.deepEqual(await namesOf('a'), ['a1', 'a2', 'a3', 'a4', 'a5'])
    assert.equal(notified, 1)
  })

  void test('a rollback undoes only its own changes: the first, one in between, one after a failed statement', async () => {
    const ended = await together(
      () => add('b0', false),
      () => add('b1'),
      () => add('b2', false),
      () => add('b1'), // the same key again
      () => add('b3'),
      () => database.db.insertInto('counter').values({ name: 'b4', value: 1 }).execute(),
    )
    assert.deepEqual(
      ended.map(({ status }) => status),
      ['rejected', 'fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled'],
    )
    assert.deepEqual(await namesOf('b'), ['b1', 'b3', 'b4'])
  })

  void test('if the connection is lost, all who share it are refused, and the next ones work', async () => {
    const killed = (): Promise<void> =>
      database.db.transaction().execute(async (tx) => {
        const { pid } = await tx
          .selectNoFrom(({ fn }) => fn<number>('pg_backend_pid', []).as('pid'))
          .executeTakeFirstOrThrow()
        await observer.query('select pg_terminate_backend($1)', [pid])
        await tx.insertInto('counter').values({ name: 'c2', value: 1 }).execute()
      })
    const ended = await together(() => add('c1'), killed)
    assert.deepEqual(
      ended.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    await add('c3')
    assert.deepEqual(await namesOf('c'), ['c3'])
  })

  void test('a refused transaction leaves its connection to the next', async () => {
    const pids: unknown[] = []
    const refused = (): Promise<void> =>
      database.db.transaction().execute(async (tx) => {
        pids.push(
          await tx.selectNoFrom(({ fn }) => fn<number>('pg_backend_pid', []).as('pid')).executeTakeFirst(),
        )
        throw new Error('refused')
      })
    for (let time = 0; time < 3; time += 1) await assert.rejects(refused(), /refused/)
    assert.deepEqual(pids, [pids[0], pids[0], pids[0]])
  })

  void test('a writer that does not get the lock is refused in time', async () => {
    await lock('')
    try {
      const ended = await Promise.allSettled([add('d1'), add('d2')])
      for (const one of ended) {
        assert.equal(one.status, 'rejected')
        assert.equal((one.reason as { code?: string }).code, 'EBUSY')
      }
    } finally {
      await lock('un')
    }
    await add('d3')
    assert.deepEqual(await namesOf('d'), ['d3'])
  })
})
