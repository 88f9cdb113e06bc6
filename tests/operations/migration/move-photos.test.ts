// The photos of a move after the first copy: losses in the meantime are found, and finally only changes are requested.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Db } from '../../../src/database/database.ts'
import { beginDeparture, onSnapshot } from '../../../src/database/departure.ts'
import { renditionKey } from '../../../src/images/storage/blob-keys.ts'
import { createMovePhotos, tablesOfPhotos } from '../../../src/operations/migration/move-photos.ts'
import { createFsBlobs } from '../../../src/storage/fs-blobs.ts'
import type { Blobs } from '../../../src/storage/port.ts'
import { newFolder } from '../../helpers/folders.ts'
import { storeOlderLarge } from '../../helpers/older-store.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function keysIn(blobs: Pick<Blobs, 'list'>): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of blobs.list('')) keys.push(key)
  return keys
}

async function start(t: TestContext, photos: number) {
  const waymark = await startWaymark()
  t.after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const ann = await waymark.addPerson({ role: 'reviewer' })
  const upload = async (seed: number) => {
    const bytes = await jpegPicture({ seed })
    return { id: await waymark.upload(ann, 4711, bytes), sha256: sha256Of(bytes) }
  }
  const uploaded = []
  for (let seed = 1; seed <= photos; seed += 1) uploaded.push(await upload(seed))
  const { database, blobs } = waymark.installation
  const to = await createFsBlobs(path.join(await newFolder(t), 'blobs'))
  /** Keys that were requested or listed on either side. */
  const asked: string[] = []
  const put: string[] = []
  const watched = (store: Blobs): Blobs => ({
    ...store,
    open: (key, options) => {
      asked.push(key)
      return store.open(key, options)
    },
    put: (key, bytes, durability) => {
      put.push(key)
      return store.put(key, bytes, durability)
    },
    list: (folder, after) => {
      asked.push(`${folder}/`)
      return store.list(folder, after)
    },
  })
  const { signal } = new AbortController()
  const moving = createMovePhotos({
    from: watched(blobs),
    to: watched(to),
    signal,
    onContent: () => undefined,
  })
  const departure = await beginDeparture(database, (table) => tablesOfPhotos.has(table))
  const follow = () => onSnapshot(database, departure, (db: Db, keys) => moving.follow(db, keys))
  return { waymark, ann, upload, uploaded, database, blobs, to, asked, put, moving, follow }
}

void test('after the check only contents whose rows changed are requested, however many photos there are', async (t) => {
  const { waymark, ann, upload, uploaded, database, blobs, to, asked, moving, follow } = await start(t, 6)
  const [first] = uploaded
  assert.ok(first)
  await moving.copyAll(database.db)
  await moving.check(database.db)
  await follow() // the changes recorded by earlier uploads
  asked.length = 0
  await follow()
  assert.equal(asked.length, 0, 'nothing has changed')
  const { id, sha256 } = await upload(7)
  assert.equal((await waymark.review(ann, first.id, 'approve')).status, 200)
  await follow()
  assert.ok(asked.length > 0)
  for (const key of asked) assert.ok(key.includes(sha256) || key.includes(first.sha256), key)
  const store = await keysIn(to)
  assert.deepEqual(store, await keysIn(blobs))
  const { files, fileBytes } = moving.moved()
  assert.equal(files, store.length)
  assert.ok(fileBytes > 0)
  // Permanently deleted in the meantime: its copy is left to garbage collection, and nothing is reported missing.
  await database.db.deleteFrom('image_history').where('image_id', '=', id).execute()
  await database.db.deleteFrom('image').where('id', '=', id).execute()
  await database.db.deleteFrom('content').where('sha256', '=', sha256).execute()
  for (const key of store) if (key.includes(sha256)) await blobs.remove(key)
  await follow()
  assert.deepEqual([moving.lost(), moving.moved().missingRenditions], [[], 0])
})

void test('the check finds a photo that the target lost after the copy, and one lost by the source is reported until it is back', async (t) => {
  const { waymark, uploaded, database, blobs, to, asked, put, moving, follow } = await start(t, 3)
  const [first, second] = uploaded
  assert.ok(first && second)
  await moving.copyAll(database.db)
  const stored = await keysIn(blobs)
  assert.deepEqual(put.toSorted(), stored)
  asked.length = put.length = 0
  await moving.check(database.db)
  assert.deepEqual(asked, ['original/', 'rendition/'], 'they are listed, and none is asked for')
  assert.deepEqual([put, moving.moved().files], [[], stored.length])
  await to.remove(renditionKey(first.sha256, 'lg'))
  await to.put(renditionKey(second.sha256, 'lg'), Buffer.from('torn'), 'durable')
  await moving.check(database.db)
  // The remainder of the original is copied, for any size lg.
  assert.ok(put.length <= 4, put.join(' '))
  assert.deepEqual(await keysIn(to), stored)
  for (const { sha256 } of uploaded)
    assert.deepEqual(await to.read(renditionKey(sha256, 'lg')), await blobs.read(renditionKey(sha256, 'lg')))

  const key = renditionKey(first.sha256, 'lg')
  const bytes = await blobs.read(key)
  assert.ok(bytes)
  await blobs.remove(key)
  await to.remove(key)
  await moving.check(database.db)
  assert.deepEqual(
    moving.lost().map(({ content, fault }) => [content.sha256, fault]),
    [[first.sha256, 'is missing']],
  )
  await follow()
  assert.equal(moving.lost().length, 1)
  await blobs.put(key, bytes, 'durable')
  await follow()
  assert.deepEqual([moving.lost(), await keysIn(to)], [[], await keysIn(blobs)])

  // Regenerated by a back-fill: only the rows of its sizes show it.
  const large = Buffer.from(bytes)
  large[large.length - 1] = 0xd8
  await storeOlderLarge(waymark.installation, first.sha256, large)
  await follow()
  assert.ok(large.equals((await to.read(key)) ?? new Uint8Array()))
})
