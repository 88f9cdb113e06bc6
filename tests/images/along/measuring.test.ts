// Miles along the trail's line: of new, moved and unchanged photos while the line changes; and lists in this order.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createMeasuring } from '../../../src/images/along/measuring.ts'
import { saveAllMeasured } from '../../../src/images/along/measure-table.ts'
import type { Image } from '../../../src/shared/v2/schemas.ts'
import { createMeasuredTrails } from '../../../src/trails/measured-trails.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { detailsPart, filePart, imageOf, patch, readAs, sendForm, type Page } from '../image-client.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
await waymark.addTrail(4712, 'Trail without a line')
const admin = await waymark.addPerson({ role: 'admin' })
const ana = await waymark.addPerson({ name: 'Ana' })
const { db } = waymark.installation.database
const measuring = createMeasuring({ db, findRuler: createMeasuredTrails(db).find, restMs: () => 0 })
const always = { signal: new AbortController().signal, mayContinue: () => Promise.resolve(true) }

/** Along the equator: 0.01 degrees are 0.691707 miles. */
const milesOf = (lon: number): number => Math.round((lon - 7) * 69.170725 * 1e4) / 1e4
const rounded = (miles: number | null): number | null =>
  miles === null ? null : Math.round(miles * 1e4) / 1e4

async function draw(...coordinates: readonly (readonly [number, number])[]): Promise<void> {
  const answer = await waymark.fetch('/v2/trails/4711', {
    method: 'PUT',
    token: admin.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Rim Trail',
      ...(coordinates.length > 0 && { geometry: { type: 'LineString', coordinates } }),
    }),
  })
  assert.equal(answer.status, 200)
}

let pictures = 0
async function upload(lat: number | null, lon: number | null, trailId = 4711): Promise<number> {
  pictures += 1
  const picture = await jpegPicture({ width: 12, height: 9, seed: pictures })
  const details = lat === null ? {} : { lat, lon }
  const parts = [filePart(picture), detailsPart(details)]
  const image = await readAs<Image>(await sendForm(waymark, ana, trailId, { parts }), 201)
  return image.imageID
}

const shown = (imageId: number): Promise<Image> => imageOf(waymark, ana, imageId)
const milesAlong = async (imageId: number): Promise<number | null> =>
  rounded((await shown(imageId)).milesAlong)
const eventCount = async (): Promise<number> =>
  Number(
    (
      await db
        .selectFrom('outbox')
        .select(({ fn }) => fn.countAll().as('count'))
        .executeTakeFirst()
    )?.count,
  )

void test('a photo within 100 m of the line has its position in miles from the upload on', async () => {
  await draw([7, 0], [7.1, 0])
  assert.equal(await milesAlong(await upload(0.0005, 7.03)), milesOf(7.03))
  assert.equal(await milesAlong(await upload(0.0008, 6.9999)), 0, 'before the start')
  assert.equal(await milesAlong(await upload(0.00095, 7.03)), null, '105 m away')
  assert.equal(await milesAlong(await upload(null, null)), null)
  assert.equal(await milesAlong(await upload(0, 7.03, 4712)), null, 'the trail has no line')
  const left = await db.selectFrom('image').select('id').where('along_version', '=', 0).execute()
  assert.deepEqual(left, [], 'nothing is left for the background')
})

void test('a photo that is moved has the new position in miles in the same response, in both APIs', async () => {
  const id = await upload(0, 7.01)
  const moved = await readAs<Image>(await patch(waymark, ana, id, { body: { lat: 0, lon: 7.05 } }))
  assert.equal(rounded(moved.milesAlong), milesOf(7.05))
  const put = await waymark.fetch(`/Trails/4711/Images/${id}`, {
    method: 'PUT',
    token: ana.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ lat: '0.0001', lon: '7.07' }),
  })
  assert.equal(put.status, 200)
  assert.equal(await milesAlong(id), milesOf(7.07))
  await readAs<Image>(await patch(waymark, ana, id, { body: { title: 'Same place' } }))
  assert.equal(await milesAlong(id), milesOf(7.07))
  const cleared = await readAs<Image>(await patch(waymark, ana, id, { body: { lat: null, lon: null } }))
  assert.equal(cleared.milesAlong, null)
})

void test('a new line measures all its photos in the background, without an event, and only once', async () => {
  const [near, far] = [await upload(0, 7.02), await upload(0.2, 7.02)]
  await measuring.run(always)
  const before = await eventCount()
  await draw([7.02, 0], [7.02, 0.3])
  assert.equal(await milesAlong(near), milesOf(7.02), 'until it is measured')
  const { photos, trails } = await measuring.run(always)
  assert.ok(photos >= 2 && trails === 1)
  assert.equal(await milesAlong(near), 0)
  assert.equal(rounded((await shown(far)).milesAlong), 13.7415)
  assert.deepEqual(await measuring.run(always), { trails: 0, photos: 0 })
  await draw([7.02, 0], [7.02, 0.3])
  assert.deepEqual(await measuring.run(always), { trails: 0, photos: 0 }, 'the same line is no change')
  await draw()
  assert.equal((await measuring.run(always)).trails, 1)
  assert.deepEqual([await milesAlong(near), await milesAlong(far)], [null, null])
  assert.equal(await eventCount(), before)
  await draw([7, 0], [7.1, 0])
  assert.equal((await measuring.run(always)).trails, 1)
})

void test('photos that an older node adds or moves are measured too', async () => {
  const id = await upload(0, 7.02)
  await db.updateTable('image').set({ lat: '0', lon: '7.04', longitude: 7.04 }).where('id', '=', id).execute()
  const row = () =>
    db.selectFrom('image').select(['miles_along', 'along_version']).where('id', '=', id).executeTakeFirst()
  assert.deepEqual(await row(), { miles_along: null, along_version: 0 })
  assert.deepEqual(await measuring.run(always), { trails: 0, photos: 1 })
  assert.equal(await milesAlong(id), milesOf(7.04))
  await db
    .updateTable('trail_line')
    .set({ geometry: '{"type":"LineString","coordinates":[[7.03,0],[7.1,0]]}' })
    .where('trail_id', '=', 4711)
    .execute()
  assert.equal((await measuring.run(always)).trails, 1)
  assert.ok(Math.abs(((await milesAlong(id)) ?? NaN) - 0.6917) < 2e-4)
  await draw([7, 0], [7.1, 0])
  await measuring.run(always)
})

void test('an interrupted run continues in the next one, and does not overwrite what was moved in the meantime', async () => {
  const ids = [await upload(0, 7.02), await upload(0, 7.03)]
  await draw([7.01, 0], [7.1, 0])
  assert.deepEqual(await measuring.run({ ...always, mayContinue: async () => false }), {
    trails: 0,
    photos: 0,
  })
  const [image] = await db
    .selectFrom('image')
    .select(['id', 'along_version as version'])
    .where('id', '=', ids[0] ?? 0)
    .execute()
  const stale = {
    image: {
      ...image,
      id: ids[0] ?? 0,
      version: image?.version ?? 0,
      trailId: 4711,
      postedAt: 0,
      latitude: 0,
      longitude: 7.5,
      milesAlong: null,
    },
    measured: { miles: 99, version: 99 },
  }
  await saveAllMeasured(db, [stale])
  assert.notEqual(await milesAlong(ids[0] ?? 0), 99)
  await measuring.run(always)
  assert.ok(Math.abs(((await milesAlong(ids[1] ?? 0)) ?? NaN) - 2 * 0.6917) < 2e-4)
  await draw([7, 0], [7.1, 0])
  await measuring.run(always)
})

void test('order=along sorts by miles, then by upload, those off the line last; every page continues', async () => {
  await waymark.addTrail(4713, 'Listed')
  const body = {
    name: 'Listed',
    geometry: {
      type: 'LineString',
      coordinates: [
        [7, 0],
        [7.1, 0],
      ],
    },
  }
  const answer = await waymark.fetch('/v2/trails/4713', {
    method: 'PUT',
    token: admin.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  assert.equal(answer.status, 200)
  const places = [7.05, null, 7.02, 7, 7.02, 7.09, null, 7]
  const ids: number[] = []
  for (const lon of places) ids.push(await upload(lon === null ? null : 0, lon, 4713))
  const far = await upload(1, 7.05, 4713)
  const pending = await upload(0, 7.05, 4713)
  for (const id of [...ids, far]) assert.equal((await waymark.review(admin, id, 'approve')).status, 200)
  const at = (...indexes: number[]): number[] => indexes.map((index) => ids[index] ?? 0)
  const expected = [...at(3, 7, 2, 4, 0, 5, 1, 6), far]
  for (const limit of [1, 2, 3, 500]) {
    const found: number[] = []
    let cursor = ''
    do {
      const page = await readAs<Page<Image>>(
        await waymark.fetch(`/v2/trails/4713/images?order=along&limit=${limit}${cursor}`, {
          token: ana.token,
        }),
      )
      found.push(...page.items.map(({ imageID }) => imageID))
      cursor = page.next === null ? '' : `&cursor=${page.next}`
    } while (cursor !== '')
    assert.deepEqual(found, expected, `${limit} at once`)
    assert.ok(!found.includes(pending))
  }
  const boxed = await readAs<Page<Image>>(
    await waymark.fetch('/v2/trails/4713/images?order=along&bbox=7.01,-1,7.06,0.5', { token: ana.token }),
  )
  assert.deepEqual(
    boxed.items.map(({ imageID }) => imageID),
    at(2, 4, 0),
  )
  const first = await readAs<Page<Image>>(
    await waymark.fetch('/v2/trails/4713/images?order=along&limit=2', { token: ana.token }),
  )
  for (const query of [`order=taken&cursor=${first.next}`, `cursor=${first.next}`, 'order=along&cursor=eA']) {
    const wrong = await waymark.fetch(`/v2/trails/4713/images?${query}`, { token: ana.token })
    assert.equal(wrong.status, 400, query)
  }
})
