// The flags of the review queue: far from the trail, no position, near-duplicates, the same bytes elsewhere, a first photo.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ReviewFlag } from '../../../src/shared/v2/queue-schemas.ts'
import { landscape } from '../../helpers/landscapes.ts'
import { pngPicture } from '../../helpers/pictures.ts'
import { itemOf, sendJson, sendPhoto } from '../../helpers/review-desk.ts'
import { startWaymark, type Person } from '../../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())
for (const id of [1, 2, 3]) await waymark.addTrail(id, `Trail ${id}`)
const ana = await waymark.addPerson({ name: 'Ana' })
const rob = await waymark.addPerson({ name: 'Rob', role: 'reviewer' })
const lea = await waymark.addPerson({ name: 'Lea', role: 'reviewer' })
const { db } = waymark.installation.database
await db.insertInto('account_trail').values({ account_id: lea.accountId, trail_id: 2 }).execute()

async function flagsOf(imageId: number, person: Person = rob): Promise<readonly ReviewFlag[]> {
  return (await itemOf(waymark, person, imageId)).queue.flags
}

const flagOf = async (code: ReviewFlag['code'], imageId: number, person: Person = rob) =>
  (await flagsOf(imageId, person)).find((flag) => flag.code === code)

/** Sends it as it is. */
const send = async (trailId: number, bytes: Buffer, person = ana): Promise<number> => {
  waymark.system.advance(1_000)
  return waymark.upload(person, trailId, bytes)
}

async function placeAt(imageId: number, lat: string, lon: string): Promise<void> {
  const answer = await sendJson(waymark, 'PUT', `/Trails/1/Images/${imageId}`, {
    body: { lat, lon },
    person: ana,
  })
  assert.equal(answer.status, 200, await answer.text())
}

async function drawTrail(trailId: number, geometry: object): Promise<void> {
  const text = JSON.stringify(geometry)
  await db
    .insertInto('trail_line')
    .values({ trail_id: trailId, geometry: text })
    .onConflict((conflict) => conflict.column('trail_id').doUpdateSet({ geometry: text }))
    .execute()
  await db
    .updateTable('trail')
    .set(({ eb }) => ({ updated_at: eb('updated_at', '+', 1) }))
    .where('id', '=', trailId)
    .execute()
}

void test('far-from-trail: more than 500 m from the line, with the distance; not without a line or a position', async () => {
  const imageId = await sendPhoto(waymark, ana, 1)
  assert.deepEqual(await flagOf('no-position', imageId), { code: 'no-position' })
  await placeAt(imageId, '45.01', '-120.5')
  assert.equal(await flagOf('no-position', imageId), undefined)
  assert.equal(await flagOf('far-from-trail', imageId), undefined, 'there is no line')
  await drawTrail(1, {
    type: 'LineString',
    coordinates: [
      [-121, 45],
      [-120.5, 45],
      [-120, 45],
    ],
  })
  // A hundredth of a degree of latitude there is 1,111 m.
  assert.deepEqual(await flagOf('far-from-trail', imageId), { code: 'far-from-trail', metres: 1_111 })
  await placeAt(imageId, '45.0044', '-120.5')
  assert.equal(await flagOf('far-from-trail', imageId), undefined, '489 m')
  await placeAt(imageId, '45.0046', '-120.5')
  assert.deepEqual(await flagOf('far-from-trail', imageId), { code: 'far-from-trail', metres: 511 })
})

void test('far-from-trail uses the current line of the trail', async () => {
  const imageId = await sendPhoto(waymark, ana, 1)
  await placeAt(imageId, '46', '-120.5')
  await drawTrail(1, {
    type: 'LineString',
    coordinates: [
      [-121, 45],
      [-120, 45],
    ],
  })
  assert.ok(await flagOf('far-from-trail', imageId))
  await drawTrail(1, {
    type: 'MultiLineString',
    coordinates: [
      [
        [0, 0],
        [1, 1],
      ],
      [
        [-120.5, 46.001],
        [-120.5, 47],
      ],
    ],
  })
  assert.equal(await flagOf('far-from-trail', imageId), undefined)
})

void test('near-duplicate: altered copies of a photo on the same trail, nearest first, unless deleted', async () => {
  const picture = landscape(900, { width: 240, height: 160 })
  const original = await picture.jpeg({ quality: 92 }).toBuffer()
  const first = await send(1, original)
  const smaller = await send(1, await picture.clone().resize({ width: 120 }).jpeg({ quality: 60 }).toBuffer())
  const asPng = await send(1, await picture.clone().png().toBuffer())
  const elsewhere = await send(2, await picture.clone().jpeg({ quality: 80 }).toBuffer())
  const flag = await flagOf('near-duplicate', first)
  assert.deepEqual(new Set(flag?.imageIDs), new Set([smaller, asPng]))
  assert.ok(flag?.distance !== undefined && flag.distance <= 7)
  assert.equal(await flagOf('near-duplicate', elsewhere), undefined)
  await db.updateTable('image').set({ state: 'deleted', queued_at: null }).where('id', '=', asPng).execute()
  assert.deepEqual((await flagOf('near-duplicate', first))?.imageIDs, [smaller])
})

void test('near-duplicate lists ten at most, the nearest first', async () => {
  const picture = await sendPhoto(waymark, ana, 3)
  const { dhash } = await db
    .selectFrom('image_hash')
    .select('dhash')
    .where('image_id', '=', picture)
    .executeTakeFirstOrThrow()
  const others: number[] = []
  for (let index = 0; index < 12; index += 1) others.push(await sendPhoto(waymark, ana, 3))
  // From 1 bit off to 8 bits: the bits from the end of the last band.
  const last = Number.parseInt(dhash.slice(12), 16)
  for (const [index, id] of others.entries()) {
    const band = last ^ (2 ** Math.min(8, index + 1) - 1)
    const near = dhash.slice(0, 12) + band.toString(16).padStart(4, '0')
    const bands = [0, 4, 8, 12].map((from) => Number.parseInt(near.slice(from, from + 4), 16))
    const [band_0 = 0, band_1 = 0, band_2 = 0, band_3 = 0] = bands
    await db
      .updateTable('image_hash')
      .set({ dhash: near, band_0, band_1, band_2, band_3, paired: null })
      .where('image_id', '=', id)
      .execute()
  }
  assert.deepEqual(await flagOf('near-duplicate', picture), {
    code: 'near-duplicate',
    imageIDs: others.slice(0, 7),
    distance: 1,
  })
  const eighth = others[7] ?? 0
  const flag = await flagOf('near-duplicate', eighth)
  assert.equal(flag?.imageIDs?.length, 10)
  assert.equal(flag.distance, 0)
})

void test('same-bytes: the same file on any trail; only images that the reviewer may review are listed', async () => {
  const bytes = await pngPicture({ width: 31, height: 17, seed: 5 })
  const onOne = await send(1, bytes)
  assert.equal(await flagOf('same-bytes', onOne), undefined)
  const onTwo = await send(2, bytes)
  assert.deepEqual(await flagOf('same-bytes', onOne), { code: 'same-bytes', imageIDs: [onTwo] })
  assert.deepEqual(await flagOf('same-bytes', onTwo, lea), { code: 'same-bytes', imageIDs: [] })
  const again = await send(2, bytes, rob)
  assert.deepEqual(await flagOf('same-bytes', onTwo, lea), { code: 'same-bytes', imageIDs: [again] })
})

void test('first-photo: until one photo of the submitter has been accepted, whatever its state now', async () => {
  const ben = await waymark.addPerson({ name: 'Ben' })
  const first = await sendPhoto(waymark, ben, 1)
  const second = await sendPhoto(waymark, ben, 1)
  assert.deepEqual(await flagOf('first-photo', second), { code: 'first-photo' })
  await waymark.review(rob, first, 'reject')
  assert.ok(await flagOf('first-photo', second), 'a rejected one does not count')
  await waymark.review(rob, first, 'restore')
  assert.equal(await flagOf('first-photo', second), undefined)
  await waymark.review(rob, first, 'remove')
  assert.equal(await flagOf('first-photo', second), undefined, 'it was accepted once')
})

void test('FAR_FROM_TRAIL_METRES=0 turns the flag off', async () => {
  const calm = await startWaymark({ environment: { FAR_FROM_TRAIL_METRES: '0' } })
  try {
    await calm.addTrail(1, 'Trail')
    const geometry = JSON.stringify({
      type: 'LineString',
      coordinates: [
        [0, 0],
        [1, 1],
      ],
    })
    await calm.installation.database.db.insertInto('trail_line').values({ trail_id: 1, geometry }).execute()
    const [ina, jim] = [await calm.addPerson(), await calm.addPerson({ role: 'reviewer' })]
    const imageId = await sendPhoto(calm, ina, 1)
    await sendJson(calm, 'PUT', `/Trails/1/Images/${imageId}`, {
      body: { lat: '60', lon: '60' },
      person: ina,
    })
    const { flags } = (await itemOf(calm, jim, imageId)).queue
    assert.deepEqual(flags, [{ code: 'first-photo' }])
  } finally {
    await calm.close()
  }
})

void test('far-from-trail allows for the accuracy of the position', async () => {
  const imageId = await sendPhoto(waymark, ana, 3)
  const line = [
    [-121, 45],
    [-120.5, 45],
    [-120, 45],
  ]
  await drawTrail(3, { type: 'LineString', coordinates: line })
  const placeWith = async (positionAccuracy: number | null, lat = 45.0054) => {
    const body = { lat, lon: -120.5, positionAccuracy }
    const answer = await sendJson(waymark, 'PATCH', `/v2/images/${imageId}`, { body, person: ana })
    assert.equal(answer.status, 200, await answer.text())
  }
  await placeWith(null)
  assert.deepEqual(await flagOf('far-from-trail', imageId), { code: 'far-from-trail', metres: 600 })
  await placeWith(98)
  assert.deepEqual(await flagOf('far-from-trail', imageId), { code: 'far-from-trail', metres: 600 })
  await placeWith(102)
  assert.equal(await flagOf('far-from-trail', imageId), undefined)
  await placeWith(20_000_000, 46)
  assert.notEqual(await flagOf('far-from-trail', imageId), undefined, 'no accuracy accounts for 111 km')
})
