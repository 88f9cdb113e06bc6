// Migration 0022 on a database of the version before: nothing changes, and rows written by older nodes are measured.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate } from '../../src/database/migrate.ts'
import { createMeasuring } from '../../src/images/along/measuring.ts'
import { findImage } from '../../src/images/image-table.ts'
import { createMeasuredTrails } from '../../src/trails/measured-trails.ts'
import { findTrailDetails, upsertTrails } from '../../src/trails/trail-table.ts'
import { imageRow, insertParents, trailRow, type OpenEmptyDatabase } from './database-suite.ts'

const place = { lat: '0', lon: '7.02', latitude: 0, longitude: 7.02 }
const always = { signal: new AbortController().signal, mayContinue: async () => true }
const box = { west: 7, south: 0, east: 7.1, north: 0 }
const textOf = (...coordinates: readonly (readonly number[])[]): string =>
  JSON.stringify({ type: 'LineString', coordinates })
/** Along the equator, 0.01 degrees are 0.691707 miles. */
const hundredth = 0.691707

export function testTrailData(name: string, openEmpty: OpenEmptyDatabase): void {
  void test(`${name}: 0022 changes no trail and no photo, and what an older node writes is measured`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database, { upTo: '0021-capture' })
    await insertParents(db)
    const old = db.withTables<{
      image: typeof imageRow
      trail: typeof trailRow & { miles?: number; west?: number; updated_at?: number }
    }>()
    const draw = (geometry: string) =>
      old.insertInto('trail_line').values({ trail_id: trailRow.id, geometry }).execute()
    await draw(textOf([7, 0], [7.1, 0]))
    await old.updateTable('trail').set({ miles: 6.9, west: 7 }).where('id', '=', trailRow.id).execute()
    const insert = (id: number, rest: object = {}) =>
      old
        .insertInto('image')
        .values({ ...imageRow, ...place, ...rest, id, seq: id })
        .execute()
    await insert(1)
    await insert(2, { lat: '5', latitude: 5 })
    const rows = async () => ({
      images: await old.selectFrom('image').selectAll().orderBy('id').execute(),
      trails: await old.selectFrom('trail').selectAll().orderBy('id').execute(),
    })
    const before = await rows()
    assert.ok((await migrate(database)).applied.includes('0022-trail-data'))
    const { images, trails } = await rows()
    for (const [index, image] of before.images.entries())
      assert.deepEqual({ ...images[index], ...image }, images[index])
    for (const [index, trail] of before.trails.entries())
      assert.deepEqual({ ...trails[index], ...trail }, trails[index])

    const measuring = createMeasuring({ db, findRuler: createMeasuredTrails(db).find, restMs: () => 0 })
    const measured = async (): Promise<(number | null)[]> => {
      await measuring.run(always)
      const found = await db.selectFrom('image').select(['id', 'miles_along']).orderBy('id').execute()
      return found.map(({ miles_along: miles }) => miles && Math.round((miles / hundredth) * 1e3) / 1e3)
    }
    assert.deepEqual(await measured(), [2, null])
    assert.deepEqual(await measuring.run(always), { trails: 0, photos: 0 })
    // Changes by an older node: a photo is added, one is moved, the line changes, is deleted and restored.
    await insert(3, { lon: '7.04', longitude: 7.04 })
    await old.updateTable('image').set({ lon: '7.06', longitude: 7.06 }).where('id', '=', 1).execute()
    assert.equal((await findImage(db, 1))?.milesAlong, null)
    assert.deepEqual(await measured(), [6, null, 4])
    const shorter = textOf([7.01, 0], [7.1, 0])
    await old.updateTable('trail_line').set({ geometry: shorter }).execute()
    assert.deepEqual(await measured(), [5, null, 3])
    await old.deleteFrom('trail_line').execute()
    await db.updateTable('trail').set({ miles: null }).execute()
    assert.deepEqual(await measured(), [null, null, null])
    await old.updateTable('trail').set({ miles: 6.9 }).where('id', '=', trailRow.id).execute()
    await draw(shorter)
    assert.deepEqual(await measured(), [5, null, 3])
  })

  void test(`${name}: 0022: heights are removed with the line that had them, whichever node writes the next one`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database)
    const heights = { ascent: 90, descent: 0, highest: 590, lowest: 500 }
    const line = { text: textOf([7, 0, 500], [7.1, 0, 590]), box, miles: 6.9, heights }
    const trail = { id: 7, name: 'High', slug: 'high' }
    const shown = async () => {
      const { ascent, descent, highest, lowest, description } = (await findTrailDetails(db, 7)) ?? {}
      return [ascent, descent, highest, lowest, description]
    }
    await upsertTrails(db, [{ ...trail, line, description: 'Up' }], 1)
    assert.deepEqual(await shown(), [90, 0, 590, 500, 'Up'])
    await upsertTrails(db, [{ ...trail, line: { ...line, text: `${line.text} ` } }], 2)
    assert.deepEqual(await shown(), [90, 0, 590, 500, 'Up'], 'another line with heights')
    await upsertTrails(db, [{ ...trail, name: 'Higher' }], 3)
    assert.deepEqual(await shown(), [90, 0, 590, 500, 'Up'], 'nothing said of the line')
    await db
      .updateTable('trail_line')
      .set({ geometry: textOf([7, 0], [7.1, 0]) })
      .execute()
    assert.deepEqual(await shown(), [null, null, null, null, 'Up'], 'an older node, which keeps no heights')
    await upsertTrails(db, [{ ...trail, line }], 4)
    await upsertTrails(db, [{ ...trail, line: null }], 5)
    assert.deepEqual(await shown(), [null, null, null, null, 'Up'])
  })
}
