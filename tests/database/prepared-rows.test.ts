// Queries that are compiled once return the same as newly built ones, for any values.
import assert from 'node:assert/strict'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { migrate } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { createPreparedRows, padded } from '../../src/database/prepared-rows.ts'
import { newFolder } from '../helpers/folders.ts'
import { trailRow } from './database-suite.ts'

async function openTrails(t: TestContext) {
  const database = await openDatabase({
    engine: 'sqlite',
    file: path.join(await newFolder(t), 'waymark.sqlite'),
  })
  t.after(() => database.close())
  await migrate(database)
  const { db } = database
  for (const id of [1, 2, 3, 4, 5])
    await db
      .insertInto('trail')
      .values({ ...trailRow, id, name: `Trail ${id}`, slug: `${id}` })
      .execute()
  const askRows = createPreparedRows(db)
  let built = 0
  const namesOf = async (ids: readonly number[], limit: number): Promise<string[]> => {
    const values = padded(ids)
    const rows = await askRows({
      shape: `names ${values.length}`,
      values: [limit, ...values],
      build: (slot) => {
        built += 1
        return db
          .selectFrom('trail')
          .select('name')
          .where(
            'id',
            'in',
            values.map((_none, at) => slot(1 + at)),
          )
          .where('version', '=', trailRow.version)
          .orderBy('id')
          .limit(slot(0))
      },
    })
    return rows.map(({ name }) => name)
  }
  return { namesOf, built: () => built }
}

void test('a query shape is compiled once, and each query has its own values', async (t) => {
  const { namesOf, built } = await openTrails(t)
  assert.deepEqual(await namesOf([2, 1], 9), ['Trail 1', 'Trail 2'])
  assert.deepEqual(await namesOf([4, 5], 9), ['Trail 4', 'Trail 5'])
  assert.deepEqual(await namesOf([4, 5], 1), ['Trail 4'])
  assert.equal(built(), 1)
})

void test('lists of any length up to the next power of two have the same shape', async (t) => {
  const { namesOf, built } = await openTrails(t)
  assert.deepEqual(await namesOf([5, 2, 1], 9), ['Trail 1', 'Trail 2', 'Trail 5'])
  assert.deepEqual(await namesOf([1, 2, 3, 4], 9), ['Trail 1', 'Trail 2', 'Trail 3', 'Trail 4'])
  assert.equal(built(), 1)
  assert.deepEqual(await namesOf([3], 9), ['Trail 3'])
  assert.equal(built(), 2)
  assert.deepEqual(padded([7, 8, 9]), [7, 8, 9, 7])
  assert.deepEqual(padded([]), [])
})
