// The sequencer (decision 0121): commits of shared transactions are numbered once and in order, even if a sequencer dies.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { inSharedTransaction, type Database } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { lockSpace, numberingLock, writeLock } from '../../src/database/postgres/locks.ts'
import { recordEvent } from '../../src/events/outbox.ts'
import { startPostgres, whyNoPostgres, type PostgresServer } from '../helpers/postgres.ts'

const route = (accountId: number, routeID = 1) => ({
  type: 'route.created' as const,
  at: 0,
  accountId,
  data: { routeID, acctID: accountId },
})

void describe('the sequencer', { skip: whyNoPostgres() }, () => {
  let server: PostgresServer
  let url = ''
  let one: Database
  let two: Database
  let observer: Client

  before(async () => {
    server = await startPostgres()
    url = await server.createDatabase()
    one = await openDatabase({ engine: 'postgres', url })
    two = await openDatabase({ engine: 'postgres', url })
    observer = new Client({ connectionString: url })
    observer.on('error', () => undefined)
    await observer.connect()
  })
  after(async () => {
    await observer?.end()
    await one?.close()
    await two?.close()
    await server?.end()
  })

  const record = (database: Database, accountId: number, routeID?: number): Promise<void> =>
    inSharedTransaction(database.db, [`account:${accountId}`], (tx) =>
      recordEvent(tx, route(accountId, routeID)),
    )

  const positions = async (): Promise<number[]> => {
    const rows = await one.db.selectFrom('outbox').select('position').orderBy('position').execute()
    return rows.map(({ position }) => position)
  }

  const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)

  const pending = async (): Promise<number> =>
    (await observer.query('select 1 from outbox_pending')).rowCount ?? 0

  async function until(isSo: () => Promise<boolean>): Promise<void> {
    const end = Date.now() + 20_000
    while (!(await isSo())) {
      assert.ok(Date.now() < end, 'waited in vain')
      await pause(10)
    }
  }

  const hold = (lock: number, end: '' | 'un' = ''): Promise<unknown> =>
    observer.query(`select pg_advisory_${end}lock(${lockSpace}, ${lock})`)

  void test('positions have no gaps, and those of one account are in the order of its writes', async () => {
    const from = (await positions()).length
    const reported: number[] = []
    const clients = upTo(8).map(async (accountId) => {
      for (const routeID of upTo(20)) {
        await record(accountId % 2 ? one : two, accountId, routeID)
        // A writer can read its own event on its node.
        const { db } = accountId % 2 ? one : two
        const { count } = await db
          .selectFrom('outbox')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('account_id', '=', accountId)
          .where('position', '>', from)
          .executeTakeFirstOrThrow()
        reported.push(count - routeID)
      }
    })
    // Exclusive transactions take positions in between.
    const alone = async (): Promise<void> => {
      for (let count = 0; count < 20; count += 1)
        await two.db.transaction().execute((tx) => recordEvent(tx, route(99)))
    }
    await Promise.all([...clients, alone()])
    assert.deepEqual(
      reported.filter((difference) => difference !== 0),
      [],
    )
    assert.deepEqual(await positions(), upTo(from + 180))
    const rows = await one.db
      .selectFrom('outbox')
      .select(['account_id as accountId', 'data'])
      .where('position', '>', from)
      .where('account_id', '<', 99)
      .orderBy('position')
      .execute()
    for (const [, own] of Map.groupBy(rows, ({ accountId }) => accountId))
      assert.deepEqual(
        own.map(({ data }) => (JSON.parse(data) as { routeID: number }).routeID),
        upTo(20),
      )
    assert.equal(await pending(), 0)
  })

  void test('a writer waits for its number; two with different keys do not wait for each other, with the same key they do', async () => {
    const order: string[] = []
    const begun = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const first = inSharedTransaction(one.db, ['account:1'], async (tx) => {
      await tx.selectFrom('account').select('id').execute() // it has its locks once this returns
      begun.resolve()
      await gate.promise
      await recordEvent(tx, route(1))
    }).then(() => order.push('first'))
    await begun.promise
    const same = record(two, 1).then(() => order.push('same'))
    await record(two, 2).then(() => order.push('other'))
    gate.resolve()
    await Promise.all([first, same])
    assert.deepEqual(order.slice(0, 1), ['other'])
    assert.equal(order.length, 3)
  })

  /** Leaves a row as a writer does that dies before it is numbered. */
  const leave = (accountId: number): Promise<unknown> => {
    const none = { imageId: null, trailId: null, submitterId: null, from: null, to: null }
    const left = [{ kind: 'event', event: { ...route(accountId), data: '{}', ...none } }]
    return observer.query(`insert into outbox_pending (told) values ($1)`, [
      JSON.stringify({ left, tags: '*' }),
    ])
  }

  void test('an exclusive writer waits for parallel ones, and finds that what was committed before is numbered', async () => {
    const from = (await positions()).length
    const order: string[] = []
    const begun = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const side = inSharedTransaction(one.db, ['account:1'], async (tx) => {
      await tx.selectFrom('account').select('id').execute() // it has its locks once this returns
      begun.resolve()
      await gate.promise
      await leave(7)
      order.push('side')
    })
    await begun.promise
    const alone = two.db.transaction().execute(async (tx) => {
      order.push('alone')
      await recordEvent(tx, route(99))
      return tx.selectFrom('outbox').select('account_id as accountId').orderBy('position').execute()
    })
    gate.resolve()
    const seen = await alone
    await side
    assert.deepEqual(order, ['side', 'alone'])
    assert.deepEqual(
      seen.slice(from).map(({ accountId }) => accountId),
      [7, 99],
    )
    assert.deepEqual(await positions(), upTo(from + 2))
  })

  void test('an exclusive writer that numbers what another node left notifies its own node of the events', async () => {
    await hold(numberingLock)
    const writer = record(two, 3)
    await until(async () => (await pending()) === 1)
    let heard = 0
    one.onForeignCommit?.(() => (heard += 1))
    await one.db.transaction().execute((tx) => recordEvent(tx, route(99)))
    assert.equal(await pending(), 0)
    assert.equal(heard, 1)
    await hold(numberingLock, 'un')
    await writer
  })

  void test('while one node numbers, others wait for its notification, and then number what is left', async () => {
    const from = (await positions()).length
    await hold(numberingLock)
    const writers = Promise.all([record(one, 1), record(two, 2), record(one, 3), record(two, 4)])
    await until(async () => (await pending()) === 4)
    assert.equal((await positions()).length, from)
    await hold(numberingLock, 'un')
    await writers
    assert.deepEqual(await positions(), upTo(from + 4))
  })

  /** Ends the connection that numbers, or waits to. */
  const killNumbering = async (): Promise<number> => {
    const { rowCount } =
      await observer.query(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
      and classid = ${lockSpace} and objid = ${numberingLock} and pid <> pg_backend_pid()`)
    return rowCount ?? 0
  }

  void test('the numbering node is killed before, in and after a batch: nothing is lost, doubled or out of order', async (t) => {
    const from = (await positions()).length
    const over = new AbortController()
    const count = { kills: 0, written: 0 }
    const writers = Promise.all(
      upTo(8).map(async (accountId) => {
        // Whether a check finds a numbering session is random, so rows are added until enough were found.
        for (let routeID = 1; routeID <= 40 || (count.kills < 5 && routeID <= 2_000); routeID += 1) {
          await record(accountId % 2 ? one : two, accountId, routeID)
          count.written += 1
        }
      }),
    ).finally(() => over.abort())
    while (!over.signal.aborted && count.kills < 20) {
      if ((await killNumbering()) > 0) count.kills += 1
      await pause(10) // kills at any point of a batch
    }
    await writers
    t.diagnostic(`${count.kills} kills`)
    assert.ok(count.kills >= 5, `${count.kills} kills`)
    assert.deepEqual(await positions(), upTo(from + count.written))
  })

  void test('a writer that dies between its commit and its number: another node numbers its rows', async () => {
    const from = (await positions()).length
    await leave(7)
    await two.serve?.()
    await until(async () => (await pending()) === 0)
    assert.deepEqual(await positions(), upTo(from + 1))
  })

  void test('while no node can number, a writer gets an error in time, and its rows are numbered later', async () => {
    const from = (await positions()).length
    const lock = new Client({ connectionString: url })
    await lock.connect()
    await lock.query(`select pg_advisory_lock(${lockSpace}, ${numberingLock})`)
    const since = performance.now()
    await assert.rejects(record(one, 1), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'ETIMEDOUT')
      return true
    })
    assert.ok(performance.now() - since < 6_000)
    await lock.end()
    await until(async () => (await positions()).length === from + 1)
  })

  void test('nothing is written while another transaction holds the exclusive lock', async () => {
    await hold(writeLock)
    const writer = record(one, 1)
    await pause(50) // it must not have written by then
    assert.equal(await pending(), 0)
    await hold(writeLock, 'un')
    await writer
  })
})
