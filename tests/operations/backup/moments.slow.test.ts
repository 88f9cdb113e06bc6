// Changes during a backup: uploads, permanent deletions, regenerated sizes, and an interrupted backup.
import { mendCounts } from '../../../src/database/account-counts.ts'
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { sql, type Kysely } from 'kysely'
import { createBackup } from '../../../src/operations/backup/backup.ts'
import { writeDurably } from '../../../src/operations/backup/backup-file.ts'
import { createRestore } from '../../../src/operations/backup/restore.ts'
import { openBlobs } from '../../../src/storage/blob-store.ts'
import type { Blobs } from '../../../src/storage/port.ts'
import { readConfig } from '../../../src/settings/config.ts'
import { openDatabase } from '../../../src/database/open-database.ts'
import { pendingMigrations } from '../../../src/database/migrate.ts'
import * as firstTables from '../../../src/database/migrations/0001-first-tables.ts'
import { originalKey, renditionKey } from '../../../src/images/storage/blob-keys.ts'
import { forgetUnshownContent } from '../../../src/images/storage/content-table.ts'
import { listRenditions } from '../../../src/images/storage/rendition-table.ts'
import { createIntegrity, type Finding } from '../../../src/images/storage/integrity.ts'
import { openInstallation } from '../../../src/installation.ts'
import { backUp, restoreInto } from '../../helpers/backups.ts'
import { filesBelow, newFolder } from '../../helpers/folders.ts'
import { blobsOfPhoto, jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { smallName } from '../../../src/images/storage/small-sizes.ts'

async function serverWithPhotos(t: TestContext, count: number) {
  const folder = await newFolder(t)
  const waymark = await startWaymark({ dataDir: path.join(folder, 'data') })
  t.after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const ann = await waymark.addPerson()
  for (let seed = 1; seed <= count; seed += 1)
    await waymark.upload(ann, 4711, await jpegPicture({ seed, width: 60 }))
  const { installation } = waymark
  const { db } = installation.database
  const images = await db.selectFrom('image').select(['id', 'sha256']).orderBy('sha256').execute()
  return { folder, waymark, ann, installation, db, images, file: path.join(folder, 'waymark.zip') }
}

type Served = Awaited<ReturnType<typeof serverWithPhotos>>

/** As when the trash expires: first the rows, then unreferenced blobs. */
async function deleteForGood(
  { installation, db }: Served,
  image: { id: number; sha256: string },
): Promise<void> {
  await db.deleteFrom('image_history').where('image_id', '=', image.id).execute()
  await db.deleteFrom('image').where('id', '=', image.id).execute()
  await mendCounts(db, 'images')
  await forgetUnshownContent(db)
  for await (const { key } of installation.blobs.list(''))
    if (key.includes(image.sha256)) await installation.blobs.remove(key)
}

/** Runs once, before the first blob with this text in its key is opened. */
function before(
  { blobs }: Served['installation'],
  text: string,
  work: () => Promise<void>,
): Pick<Blobs, 'open'> {
  let done: Promise<void> | undefined
  return {
    open: async (key) => {
      if (key.includes(text)) await (done ??= work())
      return blobs.open(key)
    },
  }
}

async function findingsIn(dataDir: string): Promise<{ images: number; findings: Finding[] }> {
  const { database, blobs, close } = await openInstallation(readConfig({ DATA_DIR: dataDir }))
  const findings: Finding[] = []
  const { images } = await createIntegrity({ database, blobs }).check('bytes', (found) =>
    findings.push(found),
  )
  await close()
  return { images, findings }
}

void describe('a store that changes while it is backed up', { concurrency: 2 }, () => {
  void test('trust 20: a photo permanently deleted after the copy of the database leaves no dangling row', async (t) => {
    const served = await serverWithPhotos(t, 4)
    const { waymark, ann, installation, images, file, folder } = served
    const [first, second, third] = images
    assert.ok(first && second && third)
    const blobs = before(installation, second.sha256, async () => {
      await deleteForGood(served, second)
      await deleteForGood(served, first) // already copied
      await waymark.upload(ann, 4711, await jpegPicture({ seed: 50, width: 60 }))
    })
    const { manifest, problems } = await backUp(installation, file, { blobs })
    assert.deepEqual([problems, manifest.missing, manifest.images], [[], [], 3])

    await restoreInto(`${folder}/restored`, file)
    assert.deepEqual(await findingsIn(`${folder}/restored`), { images: 3, findings: [] })
    const kept = await filesBelow(`${folder}/restored/blobs/kept`)
    assert.ok(!kept.some((name) => name.includes(first.sha256)), 'what nothing shows is not restored')
  })

  void test('trust 20: if photos keep being deleted, the backup still finishes and reports them', async (t) => {
    const served = await serverWithPhotos(t, 6)
    const { installation, images, file, folder } = served
    const left = [...images]
    const store: Pick<Blobs, 'open'> = {
      open: async (key) => {
        const at = left.findIndex(({ sha256 }) => key === renditionKey(sha256, 'lg'))
        const [image] = at < 0 || left.length <= 2 ? [] : left.splice(at, 1)
        if (image) await deleteForGood(served, image)
        return installation.blobs.open(key)
      },
    }
    const { problems } = await backUp(installation, file, { blobs: store })
    const { problems: reported } = await restoreInto(`${folder}/restored`, file)
    assert.deepEqual(
      reported.map(({ sha256 }) => sha256),
      problems.map(({ sha256 }) => sha256),
    )
    const { findings } = await findingsIn(`${folder}/restored`)
    const lost = findings.filter(({ what }) => what === 'original').map(({ sha256 }) => sha256)
    assert.deepEqual(
      lost,
      problems.map(({ sha256 }) => sha256),
    )
  })

  void test('trust 20: a rendition regenerated meanwhile is left out, and regenerated after a restore', async (t) => {
    const served = await serverWithPhotos(t, 2)
    const { installation, images, file, folder, db } = served
    const [first, second] = images
    assert.ok(first && second)
    const other = Buffer.from('other bytes, as another version of the encoder would make')
    const blobs = before(installation, second.sha256, async () => {
      for (const { sha256 } of [first, second]) {
        await installation.blobs.put(renditionKey(sha256, smallName), other, 'remakeable')
        await db
          .updateTable('rendition')
          .set({ bytes: other.length, digest: 'of other bytes' })
          .where('sha256', '=', sha256)
          .where('name', '=', smallName)
          .execute()
      }
    })
    const { forgottenRenditions, problems } = await backUp(installation, file, { blobs })
    assert.deepEqual([forgottenRenditions, problems], [1, []])
    await restoreInto(`${folder}/restored`, file)
    const { findings } = await findingsIn(`${folder}/restored`)
    assert.deepEqual(
      findings.map(({ severity, sha256 }) => [severity, sha256]),
      [['warning', second.sha256]],
      'it will be made',
    )
    const again = await startWaymark({ dataDir: `${folder}/restored` })
    t.after(() => again.close())
    const names = ({ sha256 }: { sha256: string }) =>
      listRenditions(again.installation.database.db, sha256).then((rows) => rows.map(({ name }) => name))
    assert.ok((await names(first)).includes(smallName), 'it was copied before')
    assert.ok(!(await names(second)).includes(smallName))
    assert.equal((await again.fetch(`/ImageHandler?id=${second.id}&t=sm`)).status, 200)
    assert.ok((await names(second)).includes(smallName))
  })

  void test('bytes that no image uses are not backed up, nor are marks of deletions in progress', async (t) => {
    const { db, installation, file, folder } = await serverWithPhotos(t, 1)
    await db
      .insertInto('content')
      .values({ sha256: 'ab'.repeat(32), bytes: 0, condemned_at: 1 })
      .execute()
    await installation.blobs.put(originalKey('cd'.repeat(32)), Buffer.from('left by a crash'), 'durable')
    await backUp(installation, file)
    const { blobs } = await restoreInto(`${folder}/restored`, file)
    assert.equal(blobs, blobsOfPhoto)
    const restored = await openInstallation(readConfig({ DATA_DIR: `${folder}/restored` }))
    t.after(() => restored.close())
    assert.equal((await restored.database.db.selectFrom('content').select('sha256').execute()).length, 1)
  })

  void test('a backup that is stopped leaves nothing behind, and neither does a restore', async (t) => {
    const { installation, file, folder } = await serverWithPhotos(t, 3)
    const { config, database, blobs } = installation
    const controller = new AbortController()
    const reason = new Error('enough')
    const backup = createBackup({ config, database, blobs, now: () => Date.now(), version: '0.0.0' })
    const stopped = writeDurably(file, (sink) =>
      backup.run({
        sink,
        withSecret: true,
        signal: controller.signal,
        onProgress: () => controller.abort(reason),
      }),
    )
    await assert.rejects(stopped, reason)
    const left = (await filesBelow(folder)).filter((name) => /zip|backup/.test(name))
    assert.deepEqual(left, ['data/waymark.sqlite.backup-lock'])
    await backUp(installation, file)
    const restoredConfig = readConfig({ DATA_DIR: `${folder}/restored` })
    const restore = createRestore({ config: restoredConfig, blobs: await openBlobs(restoredConfig) })
    const again = new AbortController()
    const run = restore.run({ file, signal: again.signal, onProgress: () => again.abort(reason) })
    await assert.rejects(run, reason)
    assert.deepEqual(await filesBelow(`${folder}/restored`), [])
    await restoreInto(`${folder}/restored`, file)
  })

  void test('a database of an older Waymark is backed up unchanged, and migrated by the restore', async (t) => {
    const folder = await newFolder(t)
    const config = readConfig({ DATA_DIR: path.join(folder, 'data') })
    const database = await openDatabase(config.databasePlace)
    t.after(() => database.close())
    await firstTables.up(database.db as unknown as Kysely<unknown>, database.types)
    await sql`create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(
      database.db,
    )
    await sql`insert into kysely_migration values ('0001-first-tables', '2026-01-01T00:00:00Z')`.execute(
      database.db,
    )
    const pending = await pendingMigrations(database)
    assert.ok(pending.length > 0)

    const file = path.join(folder, 'older.zip')
    const backup = createBackup({
      config,
      database,
      blobs: await openBlobs(config),
      now: () => 0,
      version: '0',
    })
    const { signal } = new AbortController()
    const { manifest } = await writeDurably(file, (sink) => backup.run({ sink, withSecret: true, signal }))
    assert.equal(manifest.schema, '0001-first-tables')
    assert.deepEqual(
      await pendingMigrations(database),
      pending,
      'a server of the older version may be running',
    )
    const { schema } = await restoreInto(`${folder}/restored`, file)
    assert.equal(schema, pending.at(-1))
    assert.ok(existsSync(`${folder}/restored/waymark.sqlite`))
    const restored = await openDatabase(readConfig({ DATA_DIR: `${folder}/restored` }).databasePlace)
    assert.deepEqual(await pendingMigrations(restored), [])
    await restored.close()
  })
})
