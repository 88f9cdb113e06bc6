// Renditions lost or damaged by a power cut: regenerated once from the original, and never served damaged.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile, rm, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { imageSizes } from '../../../src/shared/image-sizes.ts'
import { isRemovedName, originalKey, renditionKey } from '../../../src/images/storage/blob-keys.ts'
import { newFolder } from '../../helpers/folders.ts'
import { jpegPicture, transparentPng } from '../../helpers/pictures.ts'
import { storeAsBefore } from '../../helpers/older-store.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { smallName } from '../../../src/images/storage/small-sizes.ts'

const trailId = 4711
const views = imageSizes.flatMap((size) => (size === 'lg' ? [size] : [size, `${size}&f=webp`]))

/** The rendition for a view of a JPEG. */
function nameOf(view: (typeof views)[number]): string {
  const [size = '', format] = view.split('&f=')
  return size === 'lg' ? 'lg' : `${size}.${format ?? 'jpeg'}`
}

const forms = { 'stored as it came': true, 'rebuilt from size lg': false } as const

/** @param isOld whether its original is stored like versions before 0.3. */
async function start(t: TestContext, picture: Uint8Array, isOld = false) {
  // The cache would hide damage until a read from disk, so every view reads from disk.
  const environment = { IMAGE_CACHE_MEGABYTES: '0' }
  const waymark = await startWaymark({ dataDir: await newFolder(t), mayFail: true, environment })
  t.after(() => waymark.close())
  await waymark.addTrail(trailId, 'Rim Trail')
  const imageId = await waymark.upload(await waymark.addPerson(), trailId, picture)
  const { db } = waymark.installation.database
  const { sha256 } = await db.selectFrom('image').select('sha256').executeTakeFirstOrThrow()
  if (isOld) await storeAsBefore(waymark.installation, sha256)
  const fileOf = (key: string): string => path.join(waymark.dataDir, 'blobs', 'kept', key)
  const fetchView = (view: string) => waymark.fetch(`/ImageHandler?id=${imageId}&t=${view}`)
  return {
    waymark,
    db,
    sha256,
    fetchView,
    original: fileOf(originalKey(sha256)),
    rendition: (name: string) => fileOf(renditionKey(sha256, name)),
    jobs: () => waymark.app.renditions.jobsStarted(),
    /** The content of a view, for comparison. */
    see: async (view: string) => {
      const answer = await fetchView(view)
      const bytes = Buffer.from(await answer.arrayBuffer())
      assert.equal(answer.status, 200, view)
      return {
        digest: createHash('sha256').update(bytes).digest('hex'),
        etag: answer.headers.get('etag'),
        type: answer.headers.get('content-type'),
      }
    },
  }
}

/** Possible states of an unsynced file after a power cut. */
const damages: Readonly<Record<string, (file: string) => Promise<void>>> = {
  lost: (file) => rm(file),
  empty: (file) => truncate(file, 0),
  'cut by a byte': async (file) => truncate(file, (await readFile(file)).length - 1),
  'longer by a byte': async (file) => writeFile(file, Buffer.concat([await readFile(file), Buffer.alloc(1)])),
  zeros: async (file) => writeFile(file, Buffer.alloc((await readFile(file)).length)),
  'one bit flipped': async (file) => {
    const bytes = await readFile(file)
    const middle = bytes.length >> 1
    bytes[middle] = (bytes[middle] ?? 0) ^ 1
    await writeFile(file, bytes)
  },
}

void test('an upload takes one decode, and views take none except the first that asks for WebP', async (t) => {
  const { see, jobs } = await start(t, await jpegPicture())
  assert.equal(jobs(), 1)
  for (const view of [...views, ...views]) await see(view)
  assert.equal(jobs(), 2)
})

for (const [form, isOld] of Object.entries(forms)) {
  void test(`a damaged rendition is rebuilt with the same bytes and ETag: original ${form}`, async (t) => {
    const picture = await jpegPicture({ width: 200, height: 150 })
    const { waymark, sha256, see, rendition, jobs } = await start(t, picture, isOld)
    for (const view of views) {
      if (view === 'lg' && !isOld) continue // it contains the original, and nothing is left to generate it from
      const before = await see(view)
      for (const [damage, inflict] of Object.entries(damages)) {
        // Size lg is durable, so a power cut does not damage it; only its length is checked.
        if (view === 'lg' && (damage === 'zeros' || damage === 'one bit flipped')) continue
        if (isOld) await storeAsBefore(waymark.installation, sha256)
        const jobsBefore = jobs()
        await inflict(rendition(isOld || view === 'lg' ? nameOf(view) : smallName))
        assert.deepEqual(await see(view), before, `${view}, ${damage}`)
        assert.deepEqual(await see(view), before, `${view}, ${damage}, seen again`)
        // In a joint file, the damage may affect other sizes; WebP needs a separate job.
        const isSurelyMade = view === 'lg' || damage === 'lost' || (isOld && damage !== 'longer by a byte')
        const max = view.endsWith('webp') ? 2 : 1
        const made = jobs() - jobsBefore
        assert.ok(isSurelyMade ? made === max : made <= max, `${view}, ${damage}: ${made} made`)
      }
    }
  })
}

void test('a lost or damaged size lg that holds the original is not regenerated: it fails until restored, then all is as before', async (t) => {
  const { see, fetchView, rendition, jobs } = await start(t, await jpegPicture({ width: 200, height: 150 }))
  const before = await Promise.all(views.map(see))
  const whole = await readFile(rendition('lg'))
  for (const damage of ['lost', 'empty', 'cut by a byte', 'longer by a byte']) {
    await damages[damage]?.(rendition('lg'))
    await assertProblem(await fetchView('lg'), 'internal-error', damage)
    for (const view of views) if (view !== 'lg') assert.equal((await fetchView(view)).status, 200, damage)
    await writeFile(rendition('lg'), whole)
    assert.deepEqual(await Promise.all(views.map(see)), before, damage)
  }
  assert.equal(jobs(), 6, 'the upload, WebP, and one try of each')
})

void test('a rendition whose row is lost is regenerated, in any format', async (t) => {
  const { see, db, sha256 } = await start(t, await transparentPng({ width: 120, height: 90 }))
  for (const view of ['sm', 'lg', '640&f=webp'] as const) {
    const before = await see(view)
    await db.deleteFrom('rendition').where('sha256', '=', sha256).execute()
    assert.deepEqual(await see(view), before, view)
  }
})

for (const [form, isOld] of Object.entries(forms)) {
  void test(`a hundred simultaneous views of an image without renditions need one decode: original ${form}`, async (t) => {
    const { see, rendition, jobs } = await start(t, await jpegPicture({ width: 900, height: 700 }), isOld)
    const before = await Promise.all(views.map(see))
    const remakeable = views.filter((view) => isOld || view !== 'lg')
    const lost = remakeable.map((view) => (isOld || view === 'lg' ? nameOf(view) : smallName))
    await Promise.all([...new Set(lost)].map((name) => rm(rendition(name))))
    const jobsBefore = jobs()
    const crowd = Array.from({ length: 100 }, (_, index) => views[index % views.length] ?? 'sm')
    const seen = await Promise.all(crowd.map(see))
    for (const [index, shown] of seen.entries()) assert.deepEqual(shown, before[index % views.length])
    assert.equal(jobs() - jobsBefore, 2, 'one, and one for WebP')
  })
}

void test('no rendition is generated from a damaged or missing original', async (t) => {
  const { fetchView, rendition, original } = await start(t, await jpegPicture(), true)
  await rm(rendition('sm.jpeg'))
  // A damaged or missing original is an error, and nothing is generated from it.
  const bytes = await readFile(original)
  const altered = Buffer.from(bytes)
  altered[bytes.length - 40] = (altered[bytes.length - 40] ?? 0) ^ 1
  await writeFile(original, altered)
  await assertProblem(await fetchView('sm'), 'internal-error')
  await rm(original)
  await assertProblem(await fetchView('sm'), 'internal-error')
  await writeFile(original, bytes)
  assert.equal((await fetchView('sm')).status, 200)
})

void test('no rendition is generated while either part that the original is rebuilt from is damaged', async (t) => {
  const { db, sha256, fetchView, rendition } = await start(t, await jpegPicture())
  const rows = await db.selectFrom('rendition').select('name').where('sha256', '=', sha256).execute()
  const removed = rows.map(({ name }) => name).find(isRemovedName)
  assert.ok(removed)
  await rm(rendition(smallName))
  for (const name of ['lg', removed]) {
    const whole = await readFile(rendition(name))
    for (const [damage, inflict] of Object.entries(damages)) {
      // An extra byte after the remainder is ignored: the original is still rebuilt, as its hash proves.
      if (name === removed && damage === 'longer by a byte') continue
      await inflict(rendition(name))
      await assertProblem(await fetchView('sm'), 'internal-error', `${name}, ${damage}`)
      await writeFile(rendition(name), whole)
    }
  }
  assert.equal((await fetchView('sm')).status, 200)
})
