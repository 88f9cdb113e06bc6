// The site export as a function: one snapshot despite concurrent changes, public data, and multi-part documents.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { switchReadOnlyOn } from '../../src/database/read-only.ts'
import { originalKey, renditionKey } from '../../src/images/storage/blob-keys.ts'
import { createSiteExport, type SiteExportOptions } from '../../src/site-export/site-export.ts'
import { writePrivateMetadata } from '../helpers/exif-fixtures.ts'
import { filesBelow } from '../helpers/folders.ts'
import { startRenditions } from '../helpers/imaging.ts'
import { addOwner, filesIn } from '../helpers/leaving.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { startWaymark } from '../helpers/waymark.ts'

const gpx = `<gpx version="1.1" creator="me"><rte><rtept lat="46.94" lon="7.44"/><rtept lat="46.96" lon="7.44"/></rte></gpx>`

async function begin(t: TestContext) {
  const waymark = await startWaymark()
  const renditions = startRenditions(1, 10)
  t.after(async () => {
    await renditions.close()
    await waymark.close()
  })
  await waymark.addTrail(4711, 'Rim Trail')
  const reviewer = await waymark.addPerson({ role: 'reviewer' })
  const owner = await addOwner(waymark)
  const { config, database, blobs, system } = waymark.installation
  const now = () => system.now()
  let afterCopy: () => Promise<unknown> = async () => undefined
  const copied = {
    ...database,
    copyTo: async (file: string): Promise<void> => {
      await database.copyTo(file)
      await afterCopy()
    },
  }
  const site = createSiteExport({ config, database: copied, blobs, renditions, now, version: '0.0.0' })
  let seed = 0
  return {
    waymark,
    owner,
    /** Happens once the rows have been copied, and before any of them is written. */
    meanwhile: (work: () => Promise<unknown>): void => {
      afterCopy = work
    },
    publish: async (bytes?: Buffer): Promise<number> => {
      seed += 1
      const photo = bytes ?? (await jpegPicture({ seed, width: 40 + seed, height: 30 }))
      const id = await waymark.upload(owner, 4711, photo)
      assert.equal((await waymark.review(reviewer, id, 'approve')).status, 200)
      return id
    },
    write: async (options: Partial<SiteExportOptions> = {}) => {
      const pieces: Uint8Array[] = []
      const report = await site.run({
        scope: 'public',
        signal: new AbortController().signal,
        sink: async (bytes) => void pieces.push(bytes),
        ...options,
      })
      return { report, files: await filesIn(Buffer.concat(pieces)) }
    },
  }
}

const workFilesIn = async (dataDir: string): Promise<string[]> =>
  (await filesBelow(dataDir)).filter((name) => name.includes('export-work'))

void test('all rows and files are from one point in time, whatever is uploaded meanwhile', async (t) => {
  const { write, publish, meanwhile } = await begin(t)
  const [one, two] = [await publish(), await publish()]
  meanwhile(publish)
  const { report, files } = await write({ scope: 'everything' })
  meanwhile(async () => undefined)
  const photos = [...files.keys()].filter((name) => /^(?:photos|originals)\//.test(name))
  assert.deepEqual(
    photos.toSorted(),
    [one, two].flatMap((id) => [`photos/${id}.jpg`, `originals/${id}.jpg`]).toSorted(),
  )
  assert.deepEqual([report.counts['images'], report.counts['photos']], [2, 2])
  assert.equal((await write()).report.counts['images'], 3)
})

void test('documents with many rows continue in further files, each of them complete', async (t) => {
  const { write, publish } = await begin(t)
  const ids: number[] = []
  for (let count = 0; count < 5; count += 1) ids.push(await publish())
  const { report, files } = await write({ rowsPerFile: 2 })
  const found = ['images.geojson', 'images-2.geojson', 'images-3.geojson'].map((name) => {
    const { features } = JSON.parse(String(files.get(name))) as {
      features: { properties: { imageID: number } }[]
    }
    return features.map(({ properties }) => properties.imageID)
  })
  assert.deepEqual(
    found.map(({ length }) => length),
    [2, 2, 1],
  )
  assert.deepEqual(
    found.flat(),
    ids.toSorted((one, other) => one - other),
  )
  assert.equal(report.counts['images'], 5)
  assert.match(String(files.get('images-3.csv')), /^imageID,[^\n]*\r\n\d+,[^\n]*\r\n$/)
  assert.ok(!files.has('images-4.csv'))
})

void test('a full size made by older rules is never published: it is regenerated', async (t) => {
  const { waymark, write, publish } = await begin(t)
  const upload = writePrivateMetadata(await jpegPicture({ seed: 5 }), { ownerName: 'Ann Private' })
  const id = await publish(upload)
  const { database, blobs } = waymark.installation
  const { sha256 } = await database.db
    .selectFrom('image')
    .select('sha256')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const right = await blobs.read(renditionKey(sha256, 'lg'))
  // As an older version would have stored it: the original whole, and size lg with what is private.
  await blobs.put(originalKey(sha256), upload, 'durable')
  await blobs.put(renditionKey(sha256, 'lg'), upload, 'durable')
  await database.db.updateTable('content').set({ original: 'whole' }).where('sha256', '=', sha256).execute()
  await database.db
    .deleteFrom('rendition')
    .where('sha256', '=', sha256)
    .where('name', 'like', 'removed.%')
    .execute()
  await database.db
    .updateTable('rendition')
    .set({ version: 0, bytes: upload.length, digest: sha256 })
    .where('sha256', '=', sha256)
    .where('name', '=', 'lg')
    .execute()
  const { report, files } = await write()
  assert.equal(report.missing, 0)
  const photo = files.get(`photos/${id}.jpg`)
  assert.ok(upload.includes('Ann Private') && photo?.includes('Ann Private') === false)
  assert.ok(right && photo?.equals(right))
})

void test('routes that are not publicly listed are not in a public export, not even while it is read-only', async (t) => {
  const { waymark, owner, write } = await begin(t)
  const { routes } = waymark.app.services.accountRoutes
  const suspended = await addOwner(waymark)
  const create = async (accountId: number, visibility: 'private' | 'link' | 'public', name: string) =>
    routes.create({ accountId, path: '', key: undefined }, { name, gpx, visibility }, '')
  await create(owner.accountId, 'private', 'Private')
  await create(owner.accountId, 'link', 'By link')
  const { routeId } = await create(owner.accountId, 'public', 'Public')
  await create(suspended.accountId, 'public', 'Of somebody suspended')
  const { db } = waymark.installation.database
  await db.updateTable('account').set({ suspended_at: 1 }).where('id', '=', suspended.accountId).execute()
  const countShown = async () => (await db.selectFrom('route_shown').select('route_id').execute()).length
  while ((await countShown()) < 3) await new Promise((resolve) => setImmediate(resolve)) // made in the background
  await switchReadOnlyOn(db, waymark.system.now(), 'for a test')
  await db.deleteFrom('route_shown').execute()
  const { report, files } = await write()
  assert.deepEqual([report.counts['routes'], report.missing], [1, 0])
  const names = [...files.keys()].filter((name) => name.startsWith('routes/'))
  assert.deepEqual(names.toSorted(), [`routes/${routeId}.geojson`, `routes/${routeId}.gpx`])
  for (const name of ['Private', 'By link', 'suspended'])
    assert.ok(!String(files.get('routes.csv')).includes(name))
  assert.equal((await write({ scope: 'everything' })).report.counts['routes'], 4)
  assert.equal(await countShown(), 0, 'the installation itself is not changed')
})

void test('only one export runs at a time; a cancelled one leaves nothing behind', async (t) => {
  const { waymark, write, publish } = await begin(t)
  await publish()
  const controller = new AbortController()
  let second: Promise<void> | undefined
  await assert.rejects(
    write({
      signal: controller.signal,
      onProgress: () => {
        second ??= assert.rejects(write(), /Another export of this installation is running/)
        controller.abort(new Error('cancelled'))
      },
      sink: async () => {
        controller.signal.throwIfAborted()
      },
    }),
    /cancelled/,
  )
  assert.ok(second)
  await second
  assert.deepEqual(await workFilesIn(waymark.dataDir), [])
  assert.equal((await write()).report.counts['images'], 1)
})
