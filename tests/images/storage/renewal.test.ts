// Photos stored by an older Waymark: their size lg is regenerated, in the background and at a view, and none is lost.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { originalKey, renditionKey } from '../../../src/images/storage/blob-keys.ts'
import { countOutdated, listOutdated } from '../../../src/images/storage/rendition-table.ts'
import { createRenewal } from '../../../src/images/storage/renewal.ts'
import { createRenditionStore } from '../../../src/images/view/rendition-store.ts'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../../src/database/read-only.ts'
import { refuse } from '../../../src/errors.ts'
import { makePicture } from '../../helpers/containers-fixtures.ts'
import { originalOf, storeAsBefore } from '../../helpers/older-store.ts'
import { startWaymark } from '../../helpers/waymark.ts'

const secret = 'SECRET behind the last block'
const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** A photo with hidden text that the previous version left in size lg. */
async function chattyPhoto(width: number): Promise<Buffer> {
  const jpeg = await makePicture(width, 40).jpeg().toBuffer()
  return Buffer.concat([jpeg.subarray(0, -2), Buffer.from(secret), jpeg.subarray(-2)])
}

/** A server with this many photos whose size lg is that of the previous version: the upload itself. */
async function startWithOlder(t: TestContext, count: number) {
  const waymark = await startWaymark()
  t.after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const person = await waymark.addPerson()
  const { database, blobs } = waymark.installation
  const photos: { imageId: number; sha256: string }[] = []
  for (let index = 0; index < count; index += 1) {
    const photo = await chattyPhoto(50 + index)
    const imageId = await waymark.upload(person, 4711, photo)
    const sha256 = digestOf(photo)
    await storeAsBefore(waymark.installation, sha256)
    await blobs.put(renditionKey(sha256, 'lg'), photo, 'durable')
    await database.db
      .updateTable('rendition')
      .set({ bytes: photo.length, digest: sha256, version: 0 })
      .where('sha256', '=', sha256)
      .where('name', '=', 'lg')
      .execute()
    photos.push({ imageId, sha256 })
  }
  const view = async (imageId: number): Promise<{ text: string; etag: string | null }> => {
    const answer = await waymark.fetch(`/ImageHandler?id=${imageId}&t=lg`, { token: person.token })
    assert.equal(answer.status, 200)
    return {
      text: Buffer.from(await answer.arrayBuffer()).toString('latin1'),
      etag: answer.headers.get('etag'),
    }
  }
  return { waymark, db: database.db, blobs, photos, view }
}

void test('C25: a size lg made by an older Waymark is regenerated in the background, with a new ETag', async (t) => {
  const { waymark, db, blobs, photos, view } = await startWithOlder(t, 3)
  assert.equal(await countOutdated(db), 3)
  for (const { sha256 } of photos) {
    const stored = await blobs.read(renditionKey(sha256, 'lg'))
    assert.ok(Buffer.from(stored ?? []).includes(secret))
  }
  await waymark.app.sweep()
  assert.equal(await countOutdated(db), 0)
  const jobs = waymark.app.renditions.jobsStarted()
  for (const { imageId, sha256 } of photos) {
    const { text, etag } = await view(imageId)
    assert.ok(!text.includes(secret))
    assert.notEqual(etag, `"${sha256.slice(0, 32)}"`)
    const original = await originalOf(waymark.installation, sha256)
    assert.ok(original.includes(secret), 'the original stays as it came')
  }
  assert.equal(waymark.app.renditions.jobsStarted(), jobs, 'nothing is left for the views')
})

void test('C25: viewing a size lg made by an older Waymark returns the regenerated one', async (t) => {
  const { db, photos, view } = await startWithOlder(t, 2)
  const [first, second] = photos
  assert.ok(first && second)
  const { text, etag } = await view(first.imageId)
  assert.ok(!text.includes(secret))
  assert.notEqual(etag, `"${first.sha256.slice(0, 32)}"`)
  assert.deepEqual(await listOutdated(db, 10), [second.sha256])
})

void test('a photo whose original is missing is served unchanged, and regenerating it is not tried again', async (t) => {
  const { waymark, db, blobs, photos, view } = await startWithOlder(t, 1)
  const [photo] = photos
  assert.ok(photo)
  await blobs.remove(originalKey(photo.sha256))
  await waymark.app.sweep()
  assert.equal(await countOutdated(db), 0)
  assert.equal((await view(photo.imageId)).etag, `"${photo.sha256.slice(0, 32)}"`)
})

void test('a pass regenerates up to its limit, continues in the next pass, and stops when the workers are busy', async (t) => {
  const { waymark, db, blobs, photos } = await startWithOlder(t, 3)
  const { renditions } = waymark.app
  const store = createRenditionStore({ db, blobs, renditions })
  const renewal = createRenewal({ db, store, maxPerPass: 2 })
  const busy = createRenditionStore({
    db,
    blobs,
    renditions: { ...renditions, examine: () => Promise.reject(refuse('busy')) },
  })
  const refused = createRenewal({ db, store: busy, maxPerPass: 2 })
  assert.deepEqual(await refused.catchUp(), { renewed: 0, notRenewable: 0, outdated: 3 })
  assert.deepEqual(await renewal.catchUp(), { renewed: 2, notRenewable: 0, outdated: 1 })
  const left = await listOutdated(db, 10)
  assert.deepEqual(left, [
    photos
      .map(({ sha256 }) => sha256)
      .toSorted()
      .at(-1),
  ])
  assert.deepEqual(await renewal.catchUp(), { renewed: 1, notRenewable: 0, outdated: 0 })
  assert.deepEqual(await renewal.catchUp(), { renewed: 0, notRenewable: 0, outdated: 0 })
})

void test('nothing is regenerated while the site is read-only or after the server stops', async (t) => {
  const { waymark, db, blobs, photos, view } = await startWithOlder(t, 1)
  const { renditions } = waymark.app
  const [photo] = photos
  assert.ok(photo)
  await switchReadOnlyOn(db, waymark.system.now(), 'We move')
  assert.equal((await view(photo.imageId)).etag, `"${photo.sha256.slice(0, 32)}"`)
  const renewal = createRenewal({
    db,
    store: createRenditionStore({ db, blobs, renditions }),
    maxPerPass: 2,
  })
  const nothing = { renewed: 0, notRenewable: 0, outdated: 1 }
  assert.deepEqual(await renewal.catchUp(), nothing)
  await switchReadOnlyOff(db)
  renewal.stop()
  assert.deepEqual(await renewal.catchUp(), nothing)
})
