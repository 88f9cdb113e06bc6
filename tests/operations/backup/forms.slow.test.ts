// Backups of originals in every form: as uploaded, rebuilt, and changing between the two while being read.
import { mendCounts } from '../../../src/database/account-counts.ts'
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { createBackup } from '../../../src/operations/backup/backup.ts'
import { writeDurably } from '../../../src/operations/backup/backup-file.ts'
import { isRemovedName, originalKey, renditionKey } from '../../../src/images/storage/blob-keys.ts'
import { createIntegrity, type Finding } from '../../../src/images/storage/integrity.ts'
import { listRenditions } from '../../../src/images/storage/rendition-table.ts'
import { openDatabase } from '../../../src/database/open-database.ts'
import { openBlobs } from '../../../src/storage/blob-store.ts'
import { openInstallation } from '../../../src/installation.ts'
import { readConfig } from '../../../src/settings/config.ts'
import type { Blobs } from '../../../src/storage/port.ts'
import { backUp, readZip, restoreInto } from '../../helpers/backups.ts'
import { newFolder } from '../../helpers/folders.ts'
import { takeSchemaBack } from '../../helpers/older-schema.ts'
import { originalOf, storeAsBefore, storeOlderLarge } from '../../helpers/older-store.ts'
import { bmpStoredWhole, jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { joinSingleSizes } from '../../../src/images/storage/joining.ts'
import { smallName } from '../../../src/images/storage/small-sizes.ts'

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function photoWithTail(seed: number): Promise<Buffer> {
  return Buffer.concat([await jpegPicture({ seed, width: 60 }), Buffer.from(`behind the end ${seed}`)])
}

async function serverWith(t: TestContext, photos: readonly Buffer[]) {
  const folder = await newFolder(t)
  const waymark = await startWaymark({ dataDir: path.join(folder, 'data') })
  t.after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const ann = await waymark.addPerson()
  const ids: number[] = []
  for (const photo of photos) ids.push(await waymark.upload(ann, 4711, photo))
  const { installation } = waymark
  const { database, blobs } = installation
  const file = path.join(folder, 'waymark.zip')
  return { folder, waymark, ann, ids, installation, db: database.db, blobs, file }
}

/** Restores, and checks that each original is intact. */
async function assertRestored(
  dataDir: string,
  file: string,
  photos: readonly Buffer[],
  { mayLack = false }: { readonly mayLack?: boolean } = {},
): Promise<void> {
  const { problems } = await restoreInto(dataDir, file)
  assert.deepEqual(problems, [])
  const installation = await openInstallation(readConfig({ DATA_DIR: dataDir }))
  try {
    for (const photo of photos) assert.ok((await originalOf(installation, sha256Of(photo))).equals(photo))
    for (const depth of ['lengths', 'bytes'] as const) {
      const findings: Finding[] = []
      await createIntegrity(installation).check(depth, (found) => findings.push(found))
      const left = findings.filter(
        ({ detail }) => !mayLack || !detail.startsWith('No rendition is recorded for'),
      )
      assert.deepEqual(left, [])
    }
    const { db } = installation.database
    const marked = await db.selectFrom('content').selectAll().where('condemned_at', 'is not', null).execute()
    assert.deepEqual(marked, [])
    for (const { sha256, original } of await db.selectFrom('content').selectAll().execute()) {
      const isStored = await installation.blobs.has(originalKey(sha256))
      assert.equal(original !== 'rebuilt', isStored, 'how it is stored is known')
    }
  } finally {
    await installation.close()
  }
}

void describe('backups of originals in every form', { concurrency: 2 }, () => {
  void test('are restored byte for byte, and one that was being converted is restored without a mark', async (t) => {
    const [rebuilt, old, twice, leaving, renewed] = await Promise.all([1, 2, 3, 4, 13].map(photoWithTail))
    const whole = bmpStoredWhole()
    assert.ok(rebuilt && old && twice && leaving && renewed)
    const photos = [rebuilt, old, twice, leaving, renewed, whole]
    const { folder, waymark, installation, db, blobs, file } = await serverWith(t, photos)
    await storeOlderLarge(installation, sha256Of(renewed), renewed)
    await waymark.app.sweep() // this leaves the remainder of the older size lg, with its row
    const rows = await db
      .selectFrom('rendition')
      .selectAll()
      .where('sha256', '=', sha256Of(renewed))
      .execute()
    assert.equal(rows.filter(({ name }) => isRemovedName(name)).length, 2)
    await storeAsBefore(installation, sha256Of(old))
    for (const photo of [twice, leaving]) await blobs.put(originalKey(sha256Of(photo)), photo, 'durable')
    for (const [photo, set] of [
      [twice, { original: 'stored' }],
      [leaving, { original: 'leaving', condemned_at: 1 }],
    ] as const)
      await db.updateTable('content').set(set).where('sha256', '=', sha256Of(photo)).execute()
    const { problems, forgottenRenditions } = await backUp(installation, file)
    assert.deepEqual([problems, forgottenRenditions], [[], 0])
    const names = new Set((await readZip(file)).map(([name]) => name))
    assert.deepEqual(
      photos.filter((photo) => names.has(`blobs/${originalKey(sha256Of(photo))}`)),
      [old, whole],
    )
    await assertRestored(`${folder}/restored`, file, photos)
    const again = await startWaymark({ dataDir: `${folder}/restored` })
    t.after(() => again.close())
    await again.addPerson().catch(() => undefined) // Ann already has this address
    const bea = await again.addPerson()
    for (const photo of photos) await again.upload(bea, 4711, photo)
  })

  void test('include a photo whose small sizes are in one blob and still in separate ones', async (t) => {
    const photos = await Promise.all([13, 14].map(photoWithTail))
    const { folder, installation, db, blobs, file } = await serverWith(t, photos)
    for (const photo of photos) await storeAsBefore(installation, sha256Of(photo))
    const [first] = photos
    assert.ok(first)
    const dying = { ...blobs, remove: () => Promise.reject(new Error('killed')) }
    await assert.rejects(joinSingleSizes({ db, blobs: dying }, sha256Of(first)), /killed/)
    const { problems } = await backUp(installation, file)
    assert.deepEqual(problems, [])
    await assertRestored(`${folder}/restored`, file, photos)
  })

  void test('include a database of the previous version, which has no forms', async (t) => {
    const photos = await Promise.all([5, 6].map(photoWithTail))
    const { folder, waymark, installation, db, file } = await serverWith(t, photos)
    for (const photo of photos) await storeAsBefore(installation, sha256Of(photo))
    await takeSchemaBack(db, '0017-trail-grams', folder)
    await waymark.close()
    const config = readConfig({ DATA_DIR: `${folder}/data` })
    const database = await openDatabase(config.databasePlace)
    const { signal } = new AbortController()
    const backup = createBackup({
      config,
      database,
      blobs: await openBlobs(config),
      now: () => 0,
      version: '0',
    })
    const { manifest, problems } = await writeDurably(file, (sink) =>
      backup.run({ sink, withSecret: true, signal }),
    )
    await database.close()
    assert.deepEqual([problems, manifest.schema.startsWith('0019')], [[], false])
    await assertRestored(`${folder}/restored`, file, photos)
  })

  void test('include a photo whose size lg is replaced at any point of the backup', async (t) => {
    const photo = await photoWithTail(7)
    const sha256 = sha256Of(photo)
    const other = await photoWithTail(8)
    const { folder, installation, db, blobs, file } = await serverWith(t, [photo, other])
    const sizes = [photo, photo.subarray(0, -3)]
    const isOfPhoto = (key: string) => key.includes(sha256)
    for (let at = 1, isReached = true; isReached; at += 1) {
      for (const isAfter of [false, true]) {
        let opened = 0
        const replacing: Pick<Blobs, 'open'> = {
          open: async (key) => {
            if (isOfPhoto(key)) opened += 1
            const isNow = isOfPhoto(key) && opened === at
            const replace = () => storeOlderLarge(installation, sha256, sizes[at % 2] ?? photo)
            if (isNow && !isAfter) await replace()
            const blob = await blobs.open(key)
            if (isNow && isAfter) await replace()
            return blob
          },
        }
        const { problems } = await backUp(installation, file, { blobs: replacing })
        assert.deepEqual(problems, [], `open ${at}`)
        await assertRestored(`${folder}/restored-${at}-${isAfter}`, file, [photo, other], { mayLack: true })
        isReached = opened >= at
        assert.ok((await listRenditions(db, sha256)).some(({ name }) => isRemovedName(name)))
      }
      assert.ok(at < 40)
    }
  })

  void test('contain a photo that is renewed between two rounds once, and complete', async (t) => {
    const photos = await Promise.all([9, 10, 11, 12].map(photoWithTail))
    const served = await serverWith(t, photos)
    const { folder, installation, db, blobs, file } = served
    const hashes = photos.map(sha256Of).toSorted()
    const [first = '', second = '', third = '', last = ''] = hashes
    const photoOf = (sha256: string) => photos.find((photo) => sha256Of(photo) === sha256) ?? Buffer.alloc(0)
    await storeAsBefore(installation, second)
    let isDone = false
    const changing: Pick<Blobs, 'open'> = {
      open: async (key) => {
        // At the last photo of the first round: it is permanently deleted, which requires a second round.
        if (!isDone && key.includes(last)) {
          isDone = true
          for (const sha256 of [first, second]) await storeOlderLarge(installation, sha256, photoOf(sha256))
          await blobs.remove(originalKey(second)) // like the back-fill
          await db.updateTable('content').set({ original: 'rebuilt' }).where('sha256', '=', second).execute()
          await storeAsBefore(installation, third)
          const images = db.selectFrom('image').select('id').where('sha256', '=', last)
          await db.deleteFrom('image_history').where('image_id', 'in', images).execute()
          await db.deleteFrom('image').where('sha256', '=', last).execute()
          await mendCounts(db, 'images')
          for (const name of ['lg', smallName]) await blobs.remove(renditionKey(last, name))
        }
        return blobs.open(key)
      },
    }
    const { problems } = await backUp(installation, file, { blobs: changing })
    assert.ok(isDone)
    assert.deepEqual(problems, [])
    const names = (await readZip(file)).map(([name]) => name)
    assert.equal(new Set(names).size, names.length, 'no name twice')
    await assertRestored(`${folder}/restored`, file, [first, second, third].map(photoOf), { mayLack: true })
  })
})
