// The map squares after any changes of images in any order: the stored counts and first photos are right.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Db } from '../../src/database/database.ts'
import { fillMapSquares, findWrongSquares, squareZooms } from '../../src/database/map-squares.ts'
import { migrate } from '../../src/database/migrate.ts'
import type { ImageState } from '../../src/database/schema.ts'
import { imageRow, insertParents, type OpenEmptyDatabase } from './database-suite.ts'

const states = ['pending', 'approved', 'rejected', 'removed', 'deleted'] as const
/** The same place, beside it, in the next square, far away; the edges of the world; and no place. */
const cells = [2 ** 40, 2 ** 40 + 1, 2 ** 40 + 2 ** 18, 2 ** 47 + 5, 0, 4 ** 24 - 1, null] as const
const runsOf = { sqlite: 400, postgres: 40 } as const

type Change =
  | {
      readonly is: 'insert' | 'update'
      readonly id: number
      readonly state: ImageState
      readonly cell: number | null
    }
  | { readonly is: 'delete'; readonly id: number }
  /** Changes several rows: all images of a state or cell. */
  | { readonly is: 'move'; readonly from: ImageState; readonly state: ImageState }
  | { readonly is: 'shift'; readonly from: number | null; readonly cell: number | null }
  /** Swaps two in one statement: some are added and some removed. */
  | { readonly is: 'swap'; readonly one: ImageState; readonly other: ImageState }
  | { readonly is: 'empty' }

const anyId = fc.integer({ min: 1, max: 8 })
const anyState = fc.constantFrom(...states, 'approved' as const, 'approved' as const)
const anyCell = fc.constantFrom(...cells, ...cells.slice(0, 3), ...cells.slice(0, 3))
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ is: fc.constant('insert' as const), id: anyId, state: anyState, cell: anyCell }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ is: fc.constant('update' as const), id: anyId, state: anyState, cell: anyCell }),
  },
  { weight: 3, arbitrary: fc.record({ is: fc.constant('delete' as const), id: anyId }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('move' as const), from: anyState, state: anyState }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('shift' as const), from: anyCell, cell: anyCell }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('swap' as const), one: anyState, other: anyState }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('empty' as const) }) },
)

async function apply(db: Db, made: Change): Promise<void> {
  switch (made.is) {
    case 'insert':
      await db
        .insertInto('image')
        .values({ ...imageRow, id: made.id, seq: made.id, state: made.state, cell: made.cell })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ state: made.state, cell: made.cell }))
        .execute()
      return
    case 'update':
      await db
        .updateTable('image')
        .set({ state: made.state, cell: made.cell, title: made.state })
        .where('id', '=', made.id)
        .execute()
      return
    case 'delete':
      await db.deleteFrom('image').where('id', '=', made.id).execute()
      return
    case 'move':
      await db.updateTable('image').set({ state: made.state }).where('state', '=', made.from).execute()
      return
    case 'shift':
      await db
        .updateTable('image')
        .set({ cell: made.cell })
        .where('cell', 'is not distinct from', made.from)
        .execute()
      return
    case 'swap':
      await db
        .updateTable('image')
        .set(({ eb }) => ({
          state: eb.case().when('state', '=', made.one).then(made.other).else(made.one).end(),
        }))
        .where('state', 'in', [made.one, made.other])
        .execute()
      return
    case 'empty':
      await db.deleteFrom('image').execute()
  }
}

/** Computed in the test, row by row. */
async function expected(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('image')
    .select(['id', 'cell'])
    .where('state', '=', 'approved')
    .where('cell', 'is not', null)
    .execute()
  const listed = rows
    .map((row) => ({ id: row.id, cell: row.cell ?? NaN }))
    .toSorted((one, other) => one.cell - other.cell || one.id - other.id)
  const squares: string[] = []
  for (let zoom: number = squareZooms.first; zoom <= squareZooms.last; zoom += 1) {
    const within = Map.groupBy(listed, (row) => Math.floor(row.cell / 4 ** (24 - zoom)))
    for (const [square, photos] of within)
      squares.push([zoom, square, photos.length, photos[0]?.cell, photos[0]?.id].join(' '))
  }
  return squares.toSorted()
}

async function kept(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('map_square').selectAll().execute()
  return rows.map((row) => [row.zoom, row.square, row.photos, row.cell, row.image_id].join(' ')).toSorted()
}

export function testMapSquares(name: string, openEmpty: OpenEmptyDatabase): void {
  void test(`${name}: after any change of images, the map squares have the number of published images there, and the first of them`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database)
    await insertParents(db)
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 10, maxLength: 40 }), async (changes) => {
        await db.deleteFrom('image').execute()
        for (const each of changes) {
          await apply(db, each)
          assert.deepEqual(await kept(db), await expected(db), JSON.stringify(each))
        }
        const before = await kept(db)
        await fillMapSquares(db)
        assert.deepEqual(await kept(db), before)
        assert.deepEqual(await findWrongSquares(db), [])
      }),
      { numRuns: runsOf[database.engine] },
    )
  })

  void test(`${name}: changes of a failed transaction are not counted`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database)
    await insertParents(db)
    await db
      .insertInto('image')
      .values({ ...imageRow, state: 'approved', cell: 7 })
      .execute()
    const before = await kept(db)
    await assert.rejects(
      db.transaction().execute(async (tx) => {
        await tx.updateTable('image').set({ state: 'removed' }).execute()
        assert.deepEqual(await kept(tx), [])
        throw new Error('not this time')
      }),
    )
    assert.deepEqual(await kept(db), before)
  })

  void test(`${name}: squares that do not match the images are found, whatever is wrong with them`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database)
    await insertParents(db)
    const image = { ...imageRow, state: 'approved' } as const
    for (const cell of [7, 8, 4 ** 20])
      await db
        .insertInto('image')
        .values({ ...image, id: cell, seq: cell, cell })
        .execute()
    assert.deepEqual(await findWrongSquares(db), [])
    const squares = (zoom: number) => ({ zoom, square: 99_999, photos: 1, cell: 1, image_id: 1 })
    await db.insertInto('map_square').values(squares(6)).execute()
    const inFirst = db.updateTable('map_square').where('square', '=', 0)
    await inFirst.set({ photos: 9 }).where('zoom', '=', 7).execute()
    await inFirst.set({ cell: 8 }).where('zoom', '=', 8).execute()
    await inFirst.set({ image_id: 8 }).where('zoom', '=', 9).execute()
    await db.deleteFrom('map_square').where('zoom', '=', 15).execute()
    assert.deepEqual(await findWrongSquares(db), [
      ...[6, 7, 8, 9].map((zoom) => ({ zoom, count: 1 })),
      { zoom: 15, count: 2 },
    ])
  })

  void test(`${name}: 0015 counts the existing published photos, and those that an older node publishes`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database, { upTo: '0014-account-language' })
    await insertParents(db)
    let id = 0
    for (const state of states)
      for (const cell of cells) {
        id += 1
        await db
          .insertInto('image')
          .values({ ...imageRow, id, seq: id, state, cell })
          .execute()
      }
    const before = await db.selectFrom('image').selectAll().orderBy('id').execute()
    assert.deepEqual((await migrate(database)).applied.slice(0, 1), ['0015-map-squares'])
    // Later migrations add columns, but change none of these.
    const after = await db.selectFrom('image').selectAll().orderBy('id').execute()
    assert.deepEqual(
      after.map((row, at) => ({ ...row, ...before[at] })),
      after,
    )
    assert.deepEqual(await kept(db), await expected(db))
    // An older node writes only the image table.
    await db.updateTable('image').set({ state: 'approved' }).where('state', '=', 'pending').execute()
    assert.deepEqual(await kept(db), await expected(db))
    assert.equal(await database.findDamage(), undefined)
  })
}
