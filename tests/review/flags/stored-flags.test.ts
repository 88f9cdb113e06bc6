// Stored flags equal those computed from all data, after any additions and removals; and a page of the queue needs few
// queries.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { KyselyPlugin } from 'kysely'
import { bandsOf, bitsApart, nearBits } from '../../../src/shared/dhash.ts'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../../src/database/read-only.ts'
import { saveHash } from '../../../src/images/near-duplicates-table.ts'
import { idsOf, readQueue, sendPhoto } from '../../helpers/review-desk.ts'
import { startWaymark } from '../../helpers/waymark.ts'

let queries = 0
const counting: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => {
    queries += 1
    return result
  },
}

const waymark = await startWaymark({ wrapDb: (db) => db.withPlugin(counting) })
after(() => waymark.close())
const { db } = waymark.installation.database
await waymark.addTrail(1, 'Trail')
const ana = await waymark.addPerson({ name: 'Ana' })
const rob = await waymark.addPerson({ name: 'Rob', role: 'reviewer' })
const pattern = await db
  .selectFrom('image')
  .selectAll()
  .where('id', '=', await sendPhoto(waymark, ana, 1))
  .executeTakeFirstOrThrow()

let state = 7
const random = (below: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * below)
}

/** Around a few pictures, up to six bits from each: so that there are near ones, and such as are just too far. */
function someHash(pictures: number): string {
  const bands = [random(pictures), 40_000, 1_234, 5]
  for (let bit = 0; bit < 6; bit += 1) {
    const band = random(4)
    bands[band] = (bands[band] ?? 0) ^ (1 << random(16))
  }
  return bands.map((band) => band.toString(16).padStart(4, '0')).join('')
}

let seq = 100
/** @param node `older` for one that knows nothing of what is stored. */
async function addPhoto(dhash: string, node: 'this' | 'older'): Promise<number> {
  const id = waymark.system.newId()
  seq += 1
  await db.transaction().execute(async (tx) => {
    await tx
      .insertInto('image')
      .values({ ...pattern, id, seq, state: 'pending', queued_at: seq })
      .execute()
    if (node === 'this') return saveHash(tx, id, dhash)
    const [band_0, band_1, band_2, band_3] = bandsOf(dhash)
    await tx
      .insertInto('image_hash')
      .values({ image_id: id, trail_id: 1, dhash, band_0, band_1, band_2, band_3, paired: null })
      .execute()
  })
  return id
}

/** Of each image in the queue, what looks like it: by a look at everything. */
async function everythingNear(): Promise<Map<number, { imageIDs: number[]; distance: number }>> {
  const rows = await db
    .selectFrom('image_hash')
    .innerJoin('image', 'image.id', 'image_hash.image_id')
    .select(['image.id', 'image.state', 'image_hash.dhash', 'image.queued_at as queuedAt'])
    .execute()
  const found = new Map<number, { imageIDs: number[]; distance: number }>()
  for (const one of rows.filter(({ queuedAt }) => queuedAt !== null)) {
    const near = rows
      .map(({ id, state: at, dhash }) => ({ id, at, bits: bitsApart(bandsOf(one.dhash), bandsOf(dhash)) }))
      .filter(({ id, bits }) => id !== one.id && bits <= nearBits)
      .toSorted((a, b) => a.bits - b.bits || a.id - b.id)
      .slice(0, 100)
      .filter(({ at }) => at !== 'deleted')
    const [nearest] = near
    if (nearest)
      found.set(one.id, { imageIDs: near.slice(0, 10).map(({ id }) => id), distance: nearest.bits })
  }
  return found
}

async function assertAllRight(): Promise<void> {
  const { items } = await readQueue(waymark, rob, '?limit=500')
  const expected = await everythingNear()
  for (const { imageID, queue } of items) {
    const flag = queue.flags.find(({ code }) => code === 'near-duplicate')
    const shown = flag && { imageIDs: flag.imageIDs, distance: flag.distance }
    assert.deepEqual(shown, expected.get(imageID), `image ${imageID}`)
  }
}

async function moveSome(ids: readonly number[]): Promise<void> {
  const id = ids[random(ids.length)] ?? 0
  const row = await db.selectFrom('image').select('state').where('id', '=', id).executeTakeFirst()
  if (row?.state === 'deleted') {
    if (random(2) === 0) await db.deleteFrom('image').where('id', '=', id).execute()
    else
      await db.updateTable('image').set({ state: 'pending', queued_at: seq }).where('id', '=', id).execute()
  } else
    await db.updateTable('image').set({ state: 'deleted', queued_at: null }).where('id', '=', id).execute()
}

void test('near duplicates are always right, for photos of this and of older nodes, deleted, restored and purged', async () => {
  const ids: number[] = []
  for (let round = 0; round < 12; round += 1) {
    for (let step = 0; step < 12; step += 1) {
      if (random(3) > 0) ids.push(await addPhoto(someHash(4), random(4) === 0 ? 'older' : 'this'))
      else if (ids.length > 0) await moveSome(ids)
    }
    await assertAllRight()
    await assertAllRight() // as it is stored by now
  }
})

void test('with more near duplicates than are stored, the nearest are found, whichever are deleted', async () => {
  const ids: number[] = []
  for (let index = 0; index < 130; index += 1)
    ids.push(await addPhoto(someHash(1), index % 7 === 0 ? 'older' : 'this'))
  await assertAllRight()
  for (const id of ids.slice(20, 60)) await db.deleteFrom('image').where('id', '=', id).execute()
  await assertAllRight()
  await assertAllRight()
  ids.push(await addPhoto(someHash(1), 'this'))
  await assertAllRight()
})

void test('a page of 20 takes three queries besides those of the token, and none searches for near duplicates', async () => {
  const { token } = await waymark.addPerson({ role: 'reviewer' })
  const person = { ...rob, token }
  await db.updateTable('image').set({ open_reports: 1 }).where('state', '=', 'pending').execute()
  const page = await readQueue(waymark, person, '?limit=20')
  assert.equal(idsOf(page).length, 20)
  queries = 0
  await waymark.fetch('/v2/review/summary', { token })
  const ofSummary = queries
  queries = 0
  assert.deepEqual(await readQueue(waymark, person, '?limit=20'), page)
  // The summary of the queue itself asks four.
  assert.ok(queries - (ofSummary - 4) <= 3, `${queries} queries, where the summary takes ${ofSummary}`)
})

void test('while the service is read-only, flags that are not stored are computed for each page', async () => {
  await addPhoto(someHash(1), 'older')
  const before = await db.selectFrom('near_pair').select('image_id').execute()
  await switchReadOnlyOn(db, waymark.system.now(), '')
  await assertAllRight()
  assert.equal((await db.selectFrom('near_pair').select('image_id').execute()).length, before.length)
  await switchReadOnlyOff(db)
  await assertAllRight()
  assert.notEqual((await db.selectFrom('near_pair').select('image_id').execute()).length, before.length)
})
