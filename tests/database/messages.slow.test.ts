// Decision 0136: statements of one message succeed or fail together. After a failure, the rest are skipped, and the
// connection remains usable.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import { Client } from 'pg'
import { inSharedTransaction, type Database, type Db, type Tx } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { queryMs } from '../../src/database/postgres/connections.ts'
import { sharedLocks } from '../../src/database/postgres/locks.ts'
import { later, together } from '../../src/database/together.ts'
import { startPostgres, whyNoPostgres } from '../helpers/postgres.ts'

/** Statements are prepared from the third time on (prepared-names.ts). */
const times = 6
const divisionByZero = { code: '22012' }

async function quotient(db: Db, divisor: number): Promise<object[]> {
  const { rows } = await sql<object>`select 12 / ${divisor}::int as quotient`.execute(db)
  return rows
}

async function facts(db: Db, id: string): Promise<object[]> {
  const { rows } = await sql<object>`select ${id}::bigint as id, 1.5 as ratio, true as truth, null as nothing,
    decode('00ff', 'hex') as bytes from generate_series(1, 2)`.execute(db)
  return rows
}

const fact = {
  id: 9_007_199_254_740_991,
  ratio: 1.5,
  truth: 1,
  nothing: null,
  bytes: Buffer.from('00ff', 'hex'),
}

const add = (db: Db, name: string): Promise<unknown> =>
  db.insertInto('counter').values({ name, value: 1 }).execute()

void test('statements sent in one message', { skip: whyNoPostgres() }, async (t) => {
  const server = await startPostgres()
  const url = await server.createDatabase()
  // With two connections, of which writers have one, each statement runs on the same one again.
  const database: Database = await openDatabase({ engine: 'postgres', url, connections: 2 })
  const { db } = database
  const observer = new Client({ connectionString: url })
  await observer.connect()
  t.after(async () => {
    await observer.end()
    await database.close()
    await server.end()
  })

  await t.test('return the same rows each time, though these are described once', async () => {
    for (let time = 0; time < times; time += 1) {
      const answers = await together(db, (each) => [
        facts(each, '9007199254740991'),
        quotient(each, 4),
        facts(each, '9007199254740991'),
      ])
      assert.deepEqual(answers, [[fact, fact], [{ quotient: 3 }], [fact, fact]])
    }
  })

  await t.test('fail with the first that fails, and their transaction is rolled back', async () => {
    for (let time = 0; time < times; time += 1) {
      const failing = inSharedTransaction(db, ['account:1'], async (tx) => {
        await add(tx, `before ${time}`)
        return together(tx, (each) => [quotient(each, 0), facts(each, '1'), add(each, `after ${time}`)])
      })
      await assert.rejects(failing, divisionByZero)
      await inSharedTransaction(db, ['account:1'], (tx) => add(tx, `kept ${time}`))
      assert.deepEqual(await quotient(db, 6), [{ quotient: 2 }])
    }
    const rows = await db
      .selectFrom('counter')
      .select('name')
      .where('name', 'like', '% %')
      .orderBy('name')
      .execute()
    const names = rows.map(({ name }) => name)
    assert.deepEqual(
      names,
      Array.from({ length: times }, (_, time) => `kept ${time}`),
    )
  })

  await t.test('one that failed when it was first prepared works with other values', async () => {
    const rest = (divisor: number): Promise<object[]> =>
      sql<object>`select 12 % ${divisor}::int as rest`.execute(db).then(({ rows }) => rows)
    for (let time = 0; time < times; time += 1) await assert.rejects(rest(0), divisionByZero)
    for (let time = 0; time < times; time += 1) assert.deepEqual(await rest(5), [{ rest: 2 }])
  })

  await t.test(
    'an empty one has no rows, and of two columns with the same name the last counts',
    async () => {
      for (let time = 0; time < times; time += 1) {
        assert.deepEqual((await sql`-- nothing`.execute(db)).rows, [])
        assert.deepEqual((await sql`select 1 as one, null as one`.execute(db)).rows, [{ one: null }])
      }
    },
  )

  await t.test('one whose table gets another column is prepared again', async () => {
    const all = (): Promise<readonly unknown[]> =>
      sql`select * from changing`.execute(db).then(({ rows }) => rows)
    await observer.query('create table changing as select 1 as one')
    for (let time = 0; time < times; time += 1) assert.deepEqual(await all(), [{ one: 1 }])
    await observer.query('alter table changing add column two int')
    await assert.rejects(all(), { code: 'EBUSY', sqlState: '0A000' })
    for (let time = 0; time < times; time += 1) assert.deepEqual(await all(), [{ one: 1, two: null }])
  })

  await t.test('a connection whose rollback was skipped is not used again', async () => {
    const { text, values } = sharedLocks(['account:1'])
    await observer.query('begin')
    await observer.query(text, [...values])
    const refused = inSharedTransaction(db, ['account:1'], () => Promise.reject(new Error('refused')))
    await assert.rejects(refused, { message: 'refused' }) // begin, locks and rollback: the locks are not to be had
    await observer.query('rollback')
    assert.deepEqual(await quotient(db, 4), [{ quotient: 3 }])
  })

  await t.test('what waits for a response that does not come fails with it, and does not run', async () => {
    const since = performance.now()
    const late = inSharedTransaction(db, ['account:1'], async (tx) => {
      await add(tx, 'late')
      await later(tx, sql`select pg_sleep(3.5)`.compile(tx))
      await turn() // sent: the commit waits for its answer
    })
    await assert.rejects(late, { code: 'ETIMEDOUT' })
    assert.ok(performance.now() - since < 2 * queryMs - 100, 'once, not again for the commit')
    await observer.query('select pg_sleep(2)') // longer than the statement takes
    const { rows } = await observer.query<object>(`select 1 from counter where name = 'late'`)
    assert.deepEqual(rows, [])
  })

  await t.test('nothing runs outside a transaction that did not begin', async () => {
    const one = sql`select 1 as one`
    const addAfter = (name: string, ask: (tx: Tx) => Promise<unknown>): Promise<unknown> =>
      inSharedTransaction(db, ['account:1'], async (tx) => {
        await ask(tx)
        await later(tx, tx.insertInto('counter').values({ name, value: 1 }).compile())
      })
    const underWay = (tx: Tx): Promise<unknown> => later(tx, one.compile(tx)).then(() => turn())
    const answered = (tx: Tx): Promise<unknown> => one.execute(tx).catch(() => undefined)
    for (const ask of [underWay, answered]) {
      for (let time = 0; time < times; time += 1) await addAfter(`${ask.name} ${time}`, ask)
      // It fails, since what it was prepared as is not there any more on the connection that is used next.
      const { rows: begins } = await sql<{
        name: string
      }>`select name from pg_prepared_statements where statement = 'begin'`.execute(db)
      await sql`deallocate ${sql.id(begins[0]?.name ?? '')}`.execute(db)
      await assert.rejects(addAfter('not begun', ask), { code: '26000' })
      const { rows } = await observer.query<object>(`select 1 from counter where name = 'not begun'`)
      assert.deepEqual(rows, [])
    }
  })
})
