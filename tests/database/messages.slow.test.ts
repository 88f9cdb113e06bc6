// Decision 0136: statements of one message succeed or fail together. After a failure, the rest are skipped, and the
// connection remains usable.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { inSharedTransaction, type Database, type Db } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { together } from '../../src/database/together.ts'
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

void test('statements that are sent in one message', { skip: whyNoPostgres() }, async (t) => {
  const server = await startPostgres()
  const url = await server.createDatabase()
  // With two connections, of which writers have one, each statement runs on the same one again.
  const database: Database = await openDatabase({ engine: 'postgres', url, connections: 2 })
  const { db } = database
  t.after(async () => {
    await database.close()
    await server.end()
  })

  await t.test('have the same rows each time, though these are described once', async () => {
    for (let time = 0; time < times; time += 1) {
      const answers = await together(db, (each) => [
        facts(each, '9007199254740991'),
        quotient(each, 4),
        facts(each, '9007199254740991'),
      ])
      assert.deepEqual(answers, [[fact, fact], [{ quotient: 3 }], [fact, fact]])
    }
  })

  await t.test('fail with the first that fails, and nothing of their transaction is left', async () => {
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
})
