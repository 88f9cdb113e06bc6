// Originals of every form in another store: all are complete, even if size lg was replaced between the two passes.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { originalKey, renditionKey } from '../../../src/images/storage/blob-keys.ts'
import { takeOriginal } from '../../../src/images/storage/originals.ts'
import { listRenditions } from '../../../src/images/storage/rendition-table.ts'
import { moveBlobs, type MoveBlobsOptions } from '../../../src/operations/migration/move-blobs.ts'
import { createFsBlobs } from '../../../src/storage/fs-blobs.ts'
import { newFolder } from '../../helpers/folders.ts'
import { storeAsBefore, storeOlderLarge } from '../../helpers/older-store.ts'
import { bmpStoredWhole, jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function start(t: TestContext) {
  const waymark = await startWaymark()
  t.after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const ann = await waymark.addPerson()
  const tail = Buffer.from('behind the end')
  const photos = [
    Buffer.concat([await jpegPicture({ seed: 1 }), tail]),
    Buffer.concat([await jpegPicture({ seed: 2 }), tail]),
    bmpStoredWhole(),
  ] as const
  for (const photo of photos) await waymark.upload(ann, 4711, photo)
  const { installation } = waymark
  const { db } = installation.database
  await storeAsBefore(installation, sha256Of(photos[1]))
  const to = await createFsBlobs(path.join(await newFolder(t), 'blobs'))
  const { signal } = new AbortController()
  return {
    installation,
    db,
    photos,
    to,
    move: (compare: MoveBlobsOptions['compare']) =>
      moveBlobs({ db, from: installation.blobs, to, compare, signal, onContent: () => undefined }),
    assertThere: async () => {
      for (const photo of photos) {
        const sha256 = sha256Of(photo)
        const taken = await takeOriginal(
          to,
          { sha256, bytes: photo.length },
          await listRenditions(db, sha256),
        )
        assert.ok('bytes' in taken && taken.bytes.equals(photo))
      }
    },
  }
}

void test('each original is moved in the form in which it is stored', async (t) => {
  const { photos, to, move, assertThere } = await start(t)
  const { lost, missingRenditions, contents } = await move('hashes')
  assert.deepEqual([lost, missingRenditions.size, contents], [[], 0, 3])
  await assertThere()
  assert.deepEqual(await Promise.all(photos.map((photo) => to.has(originalKey(sha256Of(photo))))), [
    false,
    true,
    true,
  ])
  const again = await move('lengths')
  assert.deepEqual([again.copied, again.lost], [0, []])
})

void test('a size lg replaced by one of the same length after the first pass is moved again', async (t) => {
  const { installation, photos, move, assertThere } = await start(t)
  const [photo] = photos
  const sha256 = sha256Of(photo)
  await move('hashes')
  const large = Buffer.from((await installation.blobs.read(renditionKey(sha256, 'lg'))) ?? [])
  large[large.length - 1] = 0xd8
  await storeOlderLarge(installation, sha256, large)
  const { copied, lost } = await move('lengths')
  assert.deepEqual([copied, lost], [2, []])
  await assertThere()
})

void test('an original that cannot be moved in its form is moved as uploaded, or reported as lost', async (t) => {
  const { installation, photos, to, move, assertThere, db } = await start(t)
  const [photo, old] = photos
  // The rows are of an older size lg than the blobs, as after a crash.
  const sha256 = sha256Of(photo)
  const rows = await db.selectFrom('rendition').selectAll().where('sha256', '=', sha256).execute()
  await storeOlderLarge(installation, sha256, photo)
  await db.deleteFrom('rendition').where('sha256', '=', sha256).execute()
  await db.insertInto('rendition').values(rows).execute()
  await installation.blobs.remove(originalKey(sha256Of(old)))
  await installation.blobs.remove(renditionKey(sha256Of(old), 'lg'))
  const { lost } = await move('hashes')
  assert.deepEqual(
    lost.map(({ content, fault }) => [content.sha256, fault]),
    [[sha256Of(old), 'is missing']],
  )
  assert.ok(await to.has(originalKey(sha256)))
  await assert.rejects(assertThere)
})
