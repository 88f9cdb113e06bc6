// Migration 0021 on a database of the version before: photos are unchanged, and all files are queued for reading.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate } from '../../src/database/migrate.ts'
import { countUnread, listUnread, saveRead } from '../../src/images/capture/unread-table.ts'
import { findImage } from '../../src/images/image-table.ts'
import { imageRow, insertParents, type OpenEmptyDatabase } from './database-suite.ts'

const place = { lat: '46.5', lon: '7.5', latitude: 46.5, longitude: 7.5 }

export function testCapture(name: string, openEmpty: OpenEmptyDatabase): void {
  void test(`${name}: 0021 changes no photo, and knows which photos of an older node are still unread`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database, { upTo: '0020-small-sizes' })
    await insertParents(db)
    const old = db.withTables<{ image: typeof imageRow }>()
    await old
      .insertInto('image')
      .values({ ...imageRow, ...place, id: 1 })
      .execute()
    const rows = () => old.selectFrom('image').selectAll().orderBy('id').execute()
    const [before] = await rows()
    assert.ok((await migrate(database)).applied.includes('0021-capture'))
    const [after] = await rows()
    assert.deepEqual({ ...after, ...before }, after)
    await old
      .insertInto('image')
      .values({ ...imageRow, id: 2, seq: 2, state: 'deleted' })
      .execute()
    assert.equal(await countUnread(db), 2)
    const unread = await listUnread(db, 0, 10)
    assert.deepEqual(
      unread.map(({ id, lat, unread: words }) => [id, lat, words]),
      [
        [1, '46.5', 'time position direction altitude'],
        [2, '0', 'time position direction altitude'],
      ],
    )
    const update = {
      taken_at: 1_778_749_687_123,
      taken_offset: -210,
      taken_zone: 'stated' as const,
      taken_on: '2026-05-14',
      position_source: 'exif' as const,
      position_accuracy: 0.125,
      direction: 359.999,
      altitude: -430.5,
    }
    const read = unread.map((image) => ({ image, update }))
    // As an older node does in the meantime.
    await old.updateTable('image').set({ lat: '46.75', latitude: 46.75 }).where('id', '=', 1).execute()
    assert.deepEqual([...(await saveRead(db, read))], [2])
    assert.deepEqual(
      (await listUnread(db, 0, 10)).map(({ id, lat }) => [id, lat]),
      [[1, '46.75']],
    )
    assert.equal((await saveRead(db, read)).size, 0, 'each is done once')
    const { takenAt, takenOffset, takenZone, positionAccuracy, direction, altitude } = (await findImage(
      db,
      2,
    )) ?? { takenAt: undefined }
    assert.deepEqual(
      [takenAt, takenOffset, takenZone, positionAccuracy, direction, altitude],
      [1_778_749_687_123, -210, 'stated', 0.125, 359.999, -430.5],
    )
  })
}
