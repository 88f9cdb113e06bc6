// Remainders for older sizes lg: deleted a day after a renewal, or with the photo, and never while needed.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { utimes } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../../src/database/read-only.ts'
import { isRemovedName, nameIn, renditionKey } from '../../../src/images/storage/blob-keys.ts'
import { createGarbageCollection } from '../../../src/images/storage/garbage-collection.ts'
import { removedFrom } from '../../../src/images/storage/originals.ts'
import { saveRenditions } from '../../../src/images/storage/rendition-table.ts'
import { removeContents } from '../../../src/images/trash/purge.ts'
import { filesBelow, newFolder } from '../../helpers/folders.ts'
import { originalOf, storeOlderLarge } from '../../helpers/older-store.ts'
import { blobsOfPhoto, jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'

/** A photo whose size lg has just been regenerated. */
async function startWithRenewed(t: TestContext) {
  const waymark = await startWaymark({ dataDir: await newFolder(t) })
  t.after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const photo = Buffer.concat([await jpegPicture(), Buffer.from('behind the end')])
  const imageId = await waymark.upload(await waymark.addPerson(), 4711, photo)
  const sha256 = createHash('sha256').update(photo).digest('hex')
  const { installation, system } = waymark
  const { database, blobs } = installation
  await storeOlderLarge(installation, sha256, photo)
  await waymark.app.sweep()
  const now = (): number => system.now()
  return {
    waymark,
    db: database.db,
    blobs,
    photo,
    sha256,
    imageId,
    installation,
    now,
    keys: () => Array.fromAsync(blobs.list(''), ({ key }) => key),
    removed: async () =>
      (await Array.fromAsync(blobs.list('original'), ({ key }) => nameIn(key) ?? '')).filter(isRemovedName),
    sweep: () => createGarbageCollection(database.db, blobs, now).run(),
    age: async () => {
      const folder = path.join(waymark.dataDir, 'blobs', 'kept')
      const at = now() / 1000 - 25 * 3600
      for (const file of await filesBelow(folder)) await utimes(path.join(folder, file), at, at)
    },
  }
}

void test('a day after a renewal, the removed bytes of the older size lg are deleted with their row', async (t) => {
  const { db, installation, sha256, photo, keys, removed, sweep, age } = await startWithRenewed(t)
  assert.equal((await removed()).length, 2)
  assert.equal((await sweep()).blobs, 0)
  await age()
  await switchReadOnlyOn(db, 0, 'We move')
  assert.equal((await sweep()).blobs, 0)
  await switchReadOnlyOff(db)
  assert.deepEqual(await sweep(), { blobs: 1, temporaryFiles: 0, failures: 0 })
  assert.equal((await keys()).length, blobsOfPhoto)
  assert.equal((await db.selectFrom('rendition').select('name').execute()).length, blobsOfPhoto)
  assert.ok((await originalOf(installation, sha256)).equals(photo))
  assert.equal((await sweep()).blobs, 0)
})

void test('small sizes that an older node stored beside the combined blob are removed a day later', async (t) => {
  const { db, blobs, sha256, keys, sweep, age } = await startWithRenewed(t)
  await age()
  await sweep()
  const bytes = Buffer.from('as an older node makes it')
  await blobs.put(renditionKey(sha256, 'sm.jpeg'), bytes, 'remakeable')
  await saveRenditions(db, sha256, [{ name: 'sm.jpeg', bytes: bytes.length, digest: 'd' }])
  assert.equal((await sweep()).blobs, 0)
  await age()
  assert.equal((await sweep()).blobs, 1)
  assert.equal((await keys()).length, blobsOfPhoto)
  assert.equal((await db.selectFrom('rendition').select('name').execute()).length, blobsOfPhoto)
})

void test('permanently deleting a photo leaves nothing of it', async (t) => {
  const { db, blobs, now, sha256, imageId, keys } = await startWithRenewed(t)
  await db.deleteFrom('image_history').where('image_id', '=', imageId).execute()
  await db.deleteFrom('image').where('id', '=', imageId).execute()
  assert.deepEqual(await removeContents({ db, blobs, now }, [sha256]), [])
  assert.deepEqual(await keys(), [])
})

void test('blobs that are still needed stay, whether a crash prevented their rows or the stored bytes are damaged', async (t) => {
  const { blobs, installation, sha256, photo, removed, sweep, age } = await startWithRenewed(t)
  // Another lg was stored with its remainder, before a crash prevented its rows.
  const large = photo.subarray(0, -3)
  const digest = createHash('sha256').update(large).digest('hex')
  const lacking = removedFrom(sha256, photo, { name: 'lg', bytes: large, digest })
  assert.ok(lacking)
  await blobs.put(renditionKey(sha256, lacking.name), lacking.bytes, 'durable')
  const before = await blobs.read(renditionKey(sha256, 'lg'))
  await blobs.put(renditionKey(sha256, 'lg'), large, 'durable')
  await age()
  assert.equal((await sweep()).blobs, 1) // that for the lg of the older rules; that of the rows may be restored
  assert.equal((await removed()).length, 2)
  assert.ok((await originalOf(installation, sha256)).equals(photo))
  await blobs.put(renditionKey(sha256, 'lg'), before ?? Buffer.alloc(0), 'durable')
  assert.ok((await originalOf(installation, sha256)).equals(photo))

  await blobs.put(renditionKey(sha256, 'lg'), Buffer.from('damaged'), 'durable')
  await age()
  assert.equal((await sweep()).blobs, 0)
  assert.equal((await removed()).length, 2)
})
