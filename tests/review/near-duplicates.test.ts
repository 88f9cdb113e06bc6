// Hashes and places on the map: of each new photo at once, of older ones little by little, and never of what cannot be read again and again.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { cellOf } from '../../src/shared/geo/cells.ts'
import { bandsOf, bitsApart } from '../../src/shared/dhash.ts'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../src/database/read-only.ts'
import { createNearDuplicates } from '../../src/images/near-duplicates.ts'
import { renditionKey } from '../../src/images/storage/blob-keys.ts'
import { smallName } from '../../src/images/storage/small-sizes.ts'
import { createRenditionStore } from '../../src/images/view/rendition-store.ts'
import { landscape } from '../helpers/landscapes.ts'
import { sendPhoto } from '../helpers/review-desk.ts'
import { startWaymark } from '../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(1, 'Trail')
const ana = await waymark.addPerson()
const { database, blobs } = waymark.installation
const { db } = database
const { renditions } = waymark.app
const store = createRenditionStore({ db, blobs, renditions })
const nearDuplicatesOf = (maxHashes: number) => createNearDuplicates({ db, store, renditions, maxHashes })

const hashes = async (): Promise<Map<number, string>> => {
  const rows = await db.selectFrom('image_hash').selectAll().orderBy('image_id').execute()
  return new Map(rows.map(({ image_id: id, dhash }) => [id, dhash]))
}

/** As an installation is that was made before there were hashes and places. */
async function makeOld(): Promise<void> {
  await db.deleteFrom('image_hash').execute()
  await db.updateTable('image').set({ cell: null }).execute()
  await db.deleteFrom('counter').where('name', 'like', 'caught-up:%').execute()
}

void test('a new photo has its hash and bands from the transaction of the upload', async () => {
  const imageId = await sendPhoto(waymark, ana, 1)
  const row = await db
    .selectFrom('image_hash')
    .selectAll()
    .where('image_id', '=', imageId)
    .executeTakeFirstOrThrow()
  const [band_0, band_1, band_2, band_3] = bandsOf(row.dhash)
  assert.deepEqual(
    { ...row },
    { image_id: imageId, trail_id: 1, dhash: row.dhash, band_0, band_1, band_2, band_3, paired: 1 },
  )
  await db.deleteFrom('image_history').where('image_id', '=', imageId).execute()
  await db.deleteFrom('image').where('id', '=', imageId).execute()
  assert.equal((await hashes()).has(imageId), false, 'it goes with its image')
})

void test('older photos get hash and place, a few per pass, equal to a new photo’s within one bit', async () => {
  for (let seed = 700; seed < 705; seed += 1) {
    waymark.system.advance(1_000)
    await waymark.upload(ana, 1, await landscape(seed, { width: 360, height: 240 }).jpeg().toBuffer())
  }
  await db.updateTable('image').set({ latitude: 45, longitude: -120 }).execute()
  const before = await hashes()
  await makeOld()
  const alike = nearDuplicatesOf(2)
  assert.deepEqual(await alike.catchUp(), { placed: 5, hashed: 2, unreadable: 0 })
  assert.deepEqual(await alike.catchUp(), { placed: 0, hashed: 2, unreadable: 0 })
  assert.deepEqual(await alike.catchUp(), { placed: 0, hashed: 1, unreadable: 0 })
  assert.deepEqual(await alike.catchUp(), { placed: 0, hashed: 0, unreadable: 0 })
  for (const [id, dhash] of await hashes())
    assert.ok(bitsApart(bandsOf(dhash), bandsOf(before.get(id) ?? '')) <= 1)
  const cells = await db.selectFrom('image').select('cell').distinct().execute()
  assert.deepEqual(
    cells.map(({ cell }) => cell),
    [cellOf(45, -120)],
  )
})

void test('an unreadable photo is marked, so that no pass tries it again', async () => {
  const imageId = await sendPhoto(waymark, ana, 1)
  const { sha256 } = await db
    .selectFrom('image')
    .select('sha256')
    .where('id', '=', imageId)
    .executeTakeFirstOrThrow()
  await blobs.remove(renditionKey(sha256, smallName))
  await blobs.remove(renditionKey(sha256, 'lg')) // which holds the original
  await makeOld()
  const alike = nearDuplicatesOf(100)
  assert.deepEqual(await alike.catchUp(), { placed: 5, hashed: 5, unreadable: 1 })
  assert.equal((await hashes()).get(imageId), '')
  assert.deepEqual(await alike.catchUp(), { placed: 0, hashed: 0, unreadable: 0 })
})

void test('while the installation is read-only there is no catching up; afterwards the sweep does it', async () => {
  await makeOld()
  await switchReadOnlyOn(db, waymark.system.now(), '')
  assert.deepEqual(await nearDuplicatesOf(100).catchUp(), { placed: 0, hashed: 0, unreadable: 0 })
  assert.equal((await hashes()).size, 0)
  await switchReadOnlyOff(db)
  await waymark.app.sweep()
  assert.equal((await hashes()).size, 6)
})

void test('once stopped, it starts nothing more', async () => {
  await makeOld()
  const alike = nearDuplicatesOf(100)
  alike.stop()
  assert.deepEqual(await alike.catchUp(), { placed: 0, hashed: 0, unreadable: 0 })
})
