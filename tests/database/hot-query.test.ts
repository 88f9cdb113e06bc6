// Cached rows of hot queries equal those of a query, and become invalid with the next commit.
import assert from 'node:assert/strict'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import type { Db } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { createHotQuery } from '../../src/database/hot-query.ts'
import { migrate } from '../../src/database/migrate.ts'
import { newFolder } from '../helpers/folders.ts'
import { trailRow } from './database-suite.ts'

async function openHere(t: TestContext) {
  const databaseFile = path.join(await newFolder(t), 'waymark.sqlite')
  const database = await openDatabase({ engine: 'sqlite', file: databaseFile })
  t.after(() => database.close())
  await migrate(database)
  const { db } = database
  await db.insertInto('trail').values(trailRow).execute()
  return { db, databaseFile }
}

/** A query for a trail's name, and the number of database calls. */
function nameQuery(db: Db, keep: number) {
  let asked = 0
  const prepareRead = (text: string) => {
    const read = db.prepareRead?.(text)
    return (parameters: readonly unknown[]) => {
      asked += 1
      return read?.(parameters)
    }
  }
  const counting: Db = new Proxy(db, {
    get: (target, name) => {
      if (name === 'prepareRead') return prepareRead
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  const find = createHotQuery<{ name: string }, 'id'>(
    counting,
    (parameter) => counting.selectFrom('trail').select('name').where('id', '=', parameter('id')),
    { keep },
  )
  return { find, asked: () => asked }
}

const { id } = trailRow
const rename = (db: Db, name: string) => db.updateTable('trail').set({ name }).where('id', '=', id)

void test('a row is read once until the next commit', async (t) => {
  const { db } = await openHere(t)
  const { find, asked } = nameQuery(db, 10)
  for (let time = 0; time < 5; time += 1) {
    assert.deepEqual(await find({ id }), { name: trailRow.name })
    await setImmediate()
  }
  assert.equal(asked(), 1)
  assert.equal(find.atOnce({ id: 1 }), null)
  assert.equal(find.atOnce({ id: 1 }), null)
  assert.equal(asked(), 3, 'that there is none is not kept')
})

void test('a query without caching runs each time', async (t) => {
  const { db } = await openHere(t)
  const { find, asked } = nameQuery(db, 0)
  await find({ id })
  await find({ id })
  assert.equal(asked(), 2)
})

void test('our own commits are visible at once, however they are written', async (t) => {
  const { db } = await openHere(t)
  const { find } = nameQuery(db, 10)
  const writes: Readonly<Record<string, () => Promise<unknown>>> = {
    plain: () => rename(db, 'plain').execute(),
    returning: () => rename(db, 'returning').returning('id').execute(),
    transaction: () => db.transaction().execute((tx) => rename(tx as Db, 'transaction').execute()),
  }
  for (const [name, write] of Object.entries(writes)) {
    await find({ id })
    await write()
    assert.deepEqual(find.atOnce({ id }), { name })
  }
})

void test('commits of another program are visible in the next turn', async (t) => {
  const { db, databaseFile } = await openHere(t)
  const { find } = nameQuery(db, 10)
  const other = new DatabaseSync(databaseFile)
  t.after(() => other.close())
  for (const name of ['one', 'two', 'three']) {
    await find({ id })
    other.prepare('update trail set name = ? where id = ?').run(name, id)
    await setImmediate()
    assert.deepEqual(find.atOnce({ id }), { name })
  }
})

void test('uncommitted changes are not visible, and are not cached', async (t) => {
  const { db } = await openHere(t)
  const { find } = nameQuery(db, 10)
  await find({ id })
  const work = db.transaction().execute(async (tx) => {
    await rename(tx, 'never').execute()
    assert.deepEqual(find.atOnce({ id }), { name: trailRow.name })
    throw new Error('taken back')
  })
  await assert.rejects(work, /taken back/)
  assert.deepEqual(await find({ id }), { name: trailRow.name })
})

void test('no more rows are cached than allowed', async (t) => {
  const { db } = await openHere(t)
  const { find, asked } = nameQuery(db, 1)
  await db
    .insertInto('trail')
    .values({ ...trailRow, id: id + 1, slug: 'other' })
    .execute()
  for (const each of [id, id + 1, id, id + 1]) await find({ id: each })
  assert.equal(asked(), 4)
})
