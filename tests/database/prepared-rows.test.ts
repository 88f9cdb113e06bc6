// Queries that are compiled once return the same as newly built ones, for any values.
import assert from 'node:assert/strict'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { DummyDriver, Kysely, LimitNode, SelectQueryNode, ValueNode } from 'kysely'
import type { Db } from '../../src/database/database.ts'
import { createPostgresDialect } from '../../src/database/postgres/dialect.ts'
import type { Schema } from '../../src/database/schema.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { createPreparedRows, padded, preparedFor, preparedInsert } from '../../src/database/prepared-rows.ts'
import { newFolder } from '../helpers/folders.ts'
import { together } from '../../src/database/together.ts'
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

void test('a statement is built once for a database and its transactions, and takes any values', async (t) => {
  const database = await openDatabase({
    engine: 'sqlite',
    file: path.join(await newFolder(t), 'waymark.sqlite'),
  })
  t.after(() => database.close())
  await migrate(database)
  const { db } = database
  let built = 0
  const nameOf = async (from: Db, id: number): Promise<string | undefined> => {
    const { rows } = await from.executeQuery(
      preparedFor(from, {
        shape: 'name of a trail',
        values: [id],
        build: (slot) => {
          built += 1
          return from.selectFrom('trail').select('name').where('id', '=', slot(0))
        },
      }),
    )
    return rows[0]?.name
  }
  const first = { ...trailRow, id: 1, name: 'Trail 1', slug: '1' }
  await db.executeQuery(preparedInsert(db, 'trail', first))
  const more = [2, 4].map((id) => Object.assign({}, first, { id, name: `Trail ${id}`, slug: `${id}` }))
  await db.executeQuery(preparedInsert(db, 'trail', ...more))
  assert.equal(await nameOf(db, 1), 'Trail 1')
  await db.transaction().execute(async (tx) => {
    // The same columns in another order.
    const { id, version, ...others } = { ...trailRow, id: 3, name: 'Trail 3', slug: '3' }
    await tx.executeQuery(preparedInsert(tx, 'trail', { version, ...others, id }))
    assert.deepEqual(await together(tx, (each) => [nameOf(each, 3), nameOf(each, 4)]), ['Trail 3', 'Trail 4'])
  })
  assert.equal(built, 1)

  // A plugin may change the text, so what it has changed is not kept for others, nor the other way round.
  const cutShort = db.withPlugin({
    transformQuery: ({ node }) =>
      SelectQueryNode.is(node)
        ? SelectQueryNode.cloneWithLimit(node, LimitNode.create(ValueNode.create(0)))
        : node,
    transformResult: async ({ result }) => result,
  })
  assert.equal(await nameOf(cutShort, 1), undefined)
  assert.equal(await nameOf(db, 1), 'Trail 1')
  assert.equal(built, 2)

  const others: Db = new Kysely<Schema>({ dialect: createPostgresDialect(() => new DummyDriver()) })
  assert.match(preparedInsert(db, 'trail', first).sql, /values \(\?, \?/)
  assert.match(preparedInsert(others, 'trail', first).sql, /values \(\$1, \$2/)
})
