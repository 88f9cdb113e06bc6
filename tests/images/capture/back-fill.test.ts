// The back-fill of photos uploaded to older versions (contract C45): the result of a current upload, and no other
// changes.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../../src/database/read-only.ts'
import { createBackFill } from '../../../src/images/capture/back-fill.ts'
import { countUnread } from '../../../src/images/capture/unread-table.ts'
import type { Image } from '../../../src/shared/v2/schemas.ts'
import type { Blobs } from '../../../src/storage/port.ts'
import { Refusal, refuse } from '../../../src/errors.ts'
import { storeAsBefore } from '../../helpers/older-store.ts'
import { ascii, buildTiff, exifSegment, gpsEntries, insertSegments } from '../../helpers/exif-fixtures.ts'
import { rationals, tags } from '../../helpers/exif-fixtures.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { imageOf, patch, readAs } from '../image-client.ts'
import { leaveUnread, rowsOf } from './older-photos.ts'

const waymark = await startWaymark({ environment: { SITE_TIME_ZONE: 'Asia/Tokyo' } })
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson({ name: 'Ana' })
const { installation, app } = waymark
const { blobs } = installation
const { db } = installation.database
const always = { signal: new AbortController().signal, mayContinue: () => Promise.resolve(true) }
const noRest = { siteTimeZone: 'Asia/Tokyo', restMs: () => 0 }
const backFill = createBackFill({ db, blobs, renditions: app.renditions, ...noRest })

let pictures = 0
async function upload(lat?: number, offset?: string): Promise<number> {
  pictures += 1
  const exif = [
    ascii(tags.takenAt, '2026:05:14 23:08:07'),
    ...(offset === undefined ? [] : [ascii(tags.offset, offset)]),
  ]
  const gps = [
    ...(lat === undefined ? [] : gpsEntries(lat, 8.54)),
    rationals(tags.accuracy, [9, 2]),
    rationals(tags.direction, [90 + pictures, 1]),
    rationals(tags.altitude, [400, 1]),
  ]
  const picture = await jpegPicture({ width: 12, height: 9, seed: pictures })
  return waymark.upload(ana, 4711, insertSegments(picture, [exifSegment(buildTiff({ exif, gps }))]))
}

const change = async (imageId: number, body: object): Promise<Image> =>
  readAs<Image>(await patch(waymark, ana, imageId, { body }))
const shown = (imageId: number): Promise<Image> => imageOf(waymark, ana, imageId)

void test('photos of the version before get what the same upload would get now, wherever their original is', async () => {
  const ids = [await upload(47.37), await upload(), await upload(47.5, '-03:30')]
  await storeAsBefore(installation, (await shown(ids[1] ?? 0)).sha256)
  const [before, images] = [await rowsOf(db), await Promise.all(ids.map(shown))]
  await leaveUnread(db)
  assert.equal((await shown(ids[0] ?? 0)).takenAt, null)
  assert.deepEqual(await backFill.run(always), { read: ids.length, unreadable: 0, left: 0 })
  assert.deepEqual(await rowsOf(db), before)
  assert.deepEqual(await Promise.all(ids.map(shown)), images, 'no answer in memory is older')
  assert.deepEqual(await backFill.run(always), { read: 0, unreadable: 0, left: 0 })
})

void test('a position that differs from the file was given, and stays; so do fields changed in the meantime', async () => {
  const [moved, cleared, reported] = [await upload(47.37), await upload(47.37), await upload(47.37)]
  await change(moved, { lat: 35.7, lon: 139.7 })
  await change(cleared, { lat: null, lon: null })
  await leaveUnread(db)
  await change(reported, { takenAt: null, direction: 5 })
  await backFill.run(always)
  const ofMoved = await shown(moved)
  assert.deepEqual(
    [ofMoved.lat, ofMoved.positionSource, ofMoved.positionAccuracy, ofMoved.takenAt],
    [35.7, 'given', null, '2026-05-14T23:08:07+09:00'],
  )
  const ofCleared = await shown(cleared)
  assert.deepEqual(
    [ofCleared.lat, ofCleared.positionSource, ofCleared.takenAtZone, ofCleared.altitude],
    [null, null, 'site', null],
  )
  const { takenAt, direction, altitude, positionSource, positionAccuracy } = await shown(reported)
  assert.deepEqual(
    [takenAt, direction, altitude, positionSource, positionAccuracy],
    [null, 5, 400, 'exif', 4.5],
  )
})

void test('a change while a photo is read takes precedence, and the photo is read again', async () => {
  const [moved, turned] = [await upload(47.37), await upload(47.37)]
  await leaveUnread(db)
  let reads = 0
  const readMetadata: typeof app.renditions.readMetadata = async (bytes) => {
    const metadata = await app.renditions.readMetadata(bytes)
    reads += 1
    if (reads > 1) return metadata
    await change(moved, { lat: 35.7, lon: 139.7 })
    for (const { id } of await rowsOf(db)) if (id !== moved) await change(id, { direction: 1 })
    return metadata
  }
  const slow = createBackFill({ db, blobs, renditions: { readMetadata }, ...noRest })
  const total = await countUnread(db)
  assert.ok((await slow.run(always)).left > 0, 'what was read before the change does not count')
  await slow.run(always)
  assert.ok(reads > total)
  const ofMoved = await shown(moved)
  assert.deepEqual(
    [ofMoved.lat, ofMoved.positionSource, ofMoved.takenAt],
    [35.7, 'given', '2026-05-14T23:08:07+09:00'],
  )
  const ofTurned = await shown(turned)
  assert.deepEqual(
    [ofTurned.direction, ofTurned.positionSource, ofTurned.takenAt],
    [1, 'exif', '2026-05-14T23:08:07+02:00'],
  )
  for (const { direction, id } of await rowsOf(db)) if (id !== moved) assert.equal(direction, 1)
})

void test('unreadable photos are marked as done; if the store does not respond, they are tried again', async () => {
  const [lost, good] = [await upload(47.37), await upload(47.37)]
  await storeAsBefore(installation, (await shown(lost)).sha256)
  const { sha256 } = await shown(lost)
  await leaveUnread(db)
  const total = await countUnread(db)
  const failing: Blobs = { ...blobs, open: () => Promise.reject(new Error('the store is down')) }
  const onFailing = createBackFill({ db, blobs: failing, renditions: app.renditions, ...noRest })
  await assert.rejects(onFailing.run(always), /the store is down/)
  assert.equal(await countUnread(db), total)
  const refusing = { readMetadata: () => Promise.reject(refuse('busy')) }
  const onBusy = createBackFill({ db, blobs, renditions: refusing, ...noRest })
  assert.deepEqual(await onBusy.run(always), { read: 0, unreadable: 0, left: total })
  await switchReadOnlyOn(db, 1, 'moving')
  await assert.rejects(backFill.run(always), Refusal)
  await switchReadOnlyOff(db)
  assert.equal(await countUnread(db), total)
  const gone: Blobs = {
    ...blobs,
    open: (key) => (key.includes(sha256) ? Promise.resolve(undefined) : blobs.open(key)),
  }
  const onGone = createBackFill({ db, blobs: gone, renditions: app.renditions, ...noRest })
  assert.deepEqual(await onGone.run(always), { read: total - 1, unreadable: 1, left: 0 })
  const image = await shown(lost)
  assert.deepEqual([image.lat, image.positionSource, image.takenAt], [47.37, null, null])
  assert.equal((await shown(good)).positionSource, 'exif')
})
