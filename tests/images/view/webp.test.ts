// WebP is generated at its first request from what was stored at the upload, and then stored (contract C26).
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import sharp, { type Sharp } from 'sharp'
import { switchReadOnlyOn } from '../../../src/database/read-only.ts'
import { refuse } from '../../../src/errors.ts'
import { removeContents } from '../../../src/images/trash/purge.ts'
import { createRenditionStore } from '../../../src/images/view/rendition-store.ts'
import { renditionKey } from '../../../src/images/storage/blob-keys.ts'
import { createIntegrity, type Finding } from '../../../src/images/storage/integrity.ts'
import { findSize, findSmallSizes } from '../../../src/images/storage/rendition-table.ts'
import { findBase, smallName } from '../../../src/images/storage/small-sizes.ts'
import type { Blobs } from '../../../src/storage/port.ts'
import { blobsOfPhoto, jpegPicture, openPicture, transparentPng } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { send } from '../../helpers/wire.ts'

const sizes = ['sm', '150', 'md', '640'] as const

async function start(t: TestContext, picture: Uint8Array, megabytes = '0') {
  let isFull = false
  const wrapBlobs = (blobs: Blobs): Blobs => ({
    ...blobs,
    put: async (...given) => {
      if (isFull) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' })
      await blobs.put(...given)
    },
  })
  const waymark = await startWaymark({ wrapBlobs, environment: { IMAGE_CACHE_MEGABYTES: megabytes } })
  t.after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const imageId = await waymark.upload(await waymark.addPerson(), 4711, picture)
  const reviewer = await waymark.addPerson({ role: 'reviewer' })
  assert.equal((await waymark.review(reviewer, imageId, 'approve')).status, 200)
  const { database, blobs } = waymark.installation
  const { sha256 } = await database.db
    .selectFrom('image')
    .select('sha256')
    .where('id', '=', imageId)
    .executeTakeFirstOrThrow()
  return {
    waymark,
    db: database.db,
    blobs,
    sha256,
    view: async (size: string, headers: Record<string, string> = {}, method = 'GET') => {
      const path = `/ImageHandler?id=${imageId}&t=${size}&f=webp`
      const answer = await send(waymark.url, { method, path, headers })
      return { answer, bytes: Buffer.from(await answer.arrayBuffer()) }
    },
    jobs: () => waymark.app.renditions.jobsStarted(),
    keys: () => Array.fromAsync(blobs.list(''), ({ key }) => key),
    fillDisk: (full: boolean) => {
      isFull = full
    },
    findings: async () => {
      const findings: Finding[] = []
      await createIntegrity({ database, blobs }).check('bytes', (found) => findings.push(found))
      return findings
    },
  }
}

const photo = () => jpegPicture({ width: 900, height: 600, seed: 7 })

void test('C26: the first request generates WebP in all sizes at once, and it is stored with the others', async (t) => {
  const { view, jobs, keys, findings } = await start(t, await photo())
  const before = jobs()
  const first = await Promise.all(Array.from({ length: 12 }, (_, index) => view(sizes[index % 4] ?? '')))
  assert.equal(jobs() - before, 1, 'twelve who ask at once have it made once')
  for (const { answer, bytes } of first) {
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), 'image/webp')
    assert.equal((await openPicture(bytes).metadata()).format, 'webp')
  }
  for (const [index, size] of sizes.entries()) {
    const { answer, bytes } = await view(size)
    assert.ok(bytes.equals(first[index]?.bytes ?? Buffer.alloc(0)))
    const etag = answer.headers.get('etag') ?? ''
    assert.equal(etag, first[index]?.answer.headers.get('etag'))
    assert.equal((await view(size, { 'if-none-match': etag })).answer.status, 304)
    const head = (await view(size, {}, 'HEAD')).answer.headers
    assert.deepEqual([head.get('etag'), head.get('content-length')], [etag, String(bytes.length)])
  }
  assert.equal(jobs() - before, 1)
  assert.equal((await keys()).length, blobsOfPhoto)
  assert.deepEqual(await findings(), [])
})

void test('C26 C27: a conditional request or a HEAD may be the first request for WebP', async (t) => {
  for (const [headers, method] of [
    [{ 'if-none-match': '"0"' }, 'GET'],
    [{}, 'HEAD'],
  ] as const) {
    const { view } = await start(t, await photo())
    const { answer } = await view('md', headers, method)
    assert.equal(answer.status, 200)
    assert.equal((await view('md')).answer.headers.get('etag'), answer.headers.get('etag'))
  }
})

void test('C26: WebP looks like its source, with and without transparency', async (t) => {
  for (const picture of [await photo(), await transparentPng({ width: 800, height: 500 })]) {
    const { waymark, view, db, sha256 } = await start(t, picture)
    const { bytes } = await view('640')
    const raw = (image: Sharp) => image.ensureAlpha().raw().toBuffer()
    const seen = await raw(openPicture(bytes))
    const wanted = await raw(sharp(picture).resize(640))
    const difference = seen.reduce((sum, value, index) => sum + Math.abs(value - (wanted[index] ?? 0)), 0)
    assert.ok(difference / seen.length < 6, `${difference / seen.length} of 255 a sample`)
    const kept = findBase((await findSmallSizes(db, sha256))?.parts ?? [])
    assert.equal(kept?.name, picture[0] === 0xff ? 'base.jpeg' : '640.png')
    assert.equal(await findSize(db, sha256, ['base.jpeg', 'base.png']), undefined, 'its place is taken')
    const [image] = await db.selectFrom('image').select('id').execute()
    const unknown = await send(waymark.url, { path: `/ImageHandler?id=${image?.id}&t=base` })
    assert.equal(unknown.status, 400, 'nobody sees the base')
  }
})

void test('C26: WebP is served even if its source or the stored WebP is lost or damaged', async (t) => {
  const { view, blobs, sha256, jobs, db, findings } = await start(t, await photo())
  const key = renditionKey(sha256, smallName)
  const { bytes } = await view('sm')
  const whole = Buffer.from((await blobs.read(key)) ?? [])
  const plain = ((await findSmallSizes(db, sha256))?.parts ?? []).filter(({ name }) =>
    /^\w+\.jpeg$/.test(name),
  )
  const plainBytes = plain.slice(0, -1).reduce((sum, part) => sum + part.bytes, 0)
  assert.ok(whole.length > plainBytes && plainBytes > 0)
  for (const [what, stored, made] of [
    ['the WebP is cut off', whole.subarray(0, plainBytes), 2],
    ['all is damaged', Buffer.alloc(whole.length), 2],
    ['it is empty', Buffer.alloc(0), 2],
    ['it is gone', undefined, 2],
  ] as const) {
    await (stored ? blobs.put(key, stored, 'remakeable') : blobs.remove(key))
    const before = jobs()
    const again = await view('sm')
    assert.equal(again.answer.status, 200, what)
    assert.ok(again.bytes.equals(bytes), what)
    assert.equal(jobs() - before, made, what)
    assert.deepEqual(await findings(), [], what)
  }
})

void test('C26: WebP is served even when the disk is full', async (t) => {
  const { view, jobs, fillDisk, findings } = await start(t, await photo())
  const before = jobs()
  fillDisk(true)
  const first = await view('640')
  assert.deepEqual([first.answer.status, (await view('640')).bytes.equals(first.bytes)], [200, true])
  assert.equal(jobs() - before, 2)
  fillDisk(false)
  assert.ok((await view('640')).bytes.equals(first.bytes))
  assert.ok((await view('640')).bytes.equals(first.bytes))
  assert.equal(jobs() - before, 3)
  assert.deepEqual(await findings(), [])
})

void test('C26: while the workers are too busy for WebP, the image is sent without it and is not cached', async (t) => {
  const { waymark, view } = await start(t, await photo(), '64')
  const { renditions } = waymark.app
  const occupied = Promise.withResolvers<never>()
  const taken: Promise<unknown>[] = []
  for (let isFull = false; !isFull;) {
    const place = renditions.examine(() => occupied.promise)
    taken.push(place.catch(() => undefined))
    isFull = await Promise.race([
      place.then(
        () => false,
        () => true,
      ),
      new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
    ])
  }
  const instead = await view('md')
  assert.equal(instead.answer.status, 200)
  assert.equal(instead.answer.headers.get('content-type'), 'image/jpeg')
  assert.equal(instead.answer.headers.get('cache-control'), 'no-store')
  occupied.reject(refuse('busy'))
  await Promise.all(taken)
  const { answer } = await view('md')
  assert.equal(answer.headers.get('content-type'), 'image/webp')
  assert.match(answer.headers.get('cache-control') ?? '', /^public/)
})

/** A store in which something else happens while WebP is generated. */
function storeThatMeanwhile(
  { db, blobs, waymark }: Awaited<ReturnType<typeof start>>,
  meanwhile: () => Promise<unknown>,
) {
  const { renditions } = waymark.app
  const makeWebp = async (base: Uint8Array) => {
    const made = await renditions.makeWebp(base)
    await meanwhile()
    return made
  }
  return createRenditionStore({ db, blobs, renditions: { ...renditions, makeWebp } })
}

void test('C26: a photo that is permanently deleted while its WebP is generated leaves nothing behind', async (t) => {
  const started = await start(t, await photo())
  const { db, blobs, sha256, waymark, keys } = started
  const store = storeThatMeanwhile(started, async () => {
    await db.deleteFrom('image_history').execute()
    await db.deleteFrom('image').execute()
    assert.deepEqual(await removeContents({ db, blobs, now: () => waymark.system.now() }, [sha256]), [])
  })
  await store.readSmall(sha256, ['sm.webp'])
  assert.deepEqual(await keys(), [])
})

void test('C26: WebP is shown but not stored while the site is read-only', async (t) => {
  const started = await start(t, await photo())
  const { db, blobs, sha256 } = started
  const read = async () => Buffer.from((await blobs.read(renditionKey(sha256, smallName))) ?? [])
  const before = await read()
  await switchReadOnlyOn(db, 1, 'we move')
  assert.equal((await started.view('sm')).answer.status, 200)
  assert.ok((await read()).equals(before))
})

void test('C26: WebP held in memory takes no more memory than its own length', async (t) => {
  const started = await start(t, await photo())
  const { taken } = await storeThatMeanwhile(started, async () => undefined).readSmall(started.sha256, [
    'sm.webp',
  ])
  assert.equal(taken.buffer.byteLength, taken.length)
})

void test('C26: if WebP cannot be generated, the image is sent in its own format', async (t) => {
  const { view, db, blobs, sha256 } = await start(t, await photo())
  const small = await findSmallSizes(db, sha256)
  assert.ok(small)
  const key = renditionKey(sha256, smallName)
  const bytes = Buffer.from((await blobs.read(key)) ?? [])
  const base = findBase(small.parts)
  bytes.fill(0, base?.start)
  await blobs.put(key, bytes, 'remakeable')
  const digest = createHash('sha256').update(bytes).digest('hex')
  await db.updateTable('rendition').set({ digest }).where('name', '=', smallName).execute()
  const { answer } = await view('sm')
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/jpeg'])
  assert.equal(answer.headers.get('cache-control'), 'no-store')
})
