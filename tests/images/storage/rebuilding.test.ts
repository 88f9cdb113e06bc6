// Photos stored twice are converted one after another, and each stays intact at all times.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../../src/database/read-only.ts'
import { isRemovedName, originalKey, renditionKey } from '../../../src/images/storage/blob-keys.ts'
import { beginLeaving, countStoredTwice } from '../../../src/images/storage/original-table.ts'
import { createIntegrity, type Finding } from '../../../src/images/storage/integrity.ts'
import { createRebuilding } from '../../../src/images/storage/rebuilding.ts'
import { listRenditions } from '../../../src/images/storage/rendition-table.ts'
import type { Blobs } from '../../../src/storage/port.ts'
import { makePicture } from '../../helpers/containers-fixtures.ts'
import { originalOf, storeAsBefore } from '../../helpers/older-store.ts'
import { blobsOfPhoto } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark, type Waymark } from '../../helpers/waymark.ts'

const trailId = 4711
const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const always = { signal: new AbortController().signal, mayContinue: () => Promise.resolve(true) }

async function startWithTwice(t: TestContext, count: number) {
  const waymark = await startWaymark({ environment: { IMAGE_CACHE_MEGABYTES: '0' } })
  t.after(() => waymark.close())
  await waymark.addTrail(trailId, 'Rim Trail')
  const person = await waymark.addPerson()
  const { database, blobs } = waymark.installation
  const { db } = database
  const photos = new Map<string, Buffer>()
  for (let index = 0; index < count; index += 1) {
    const jpeg = await makePicture(60 + index, 40)
      .jpeg()
      .toBuffer()
    const photo = Buffer.concat([jpeg, Buffer.from(`what a camera leaves behind ${index}`)])
    await waymark.upload(person, trailId, photo)
    photos.set(digestOf(photo), photo)
    await storeAsBefore(waymark.installation, digestOf(photo))
  }
  const now = (): number => waymark.system.now()
  const rebuildingOn = (on: Blobs = blobs) => createRebuilding({ db, blobs: on, now, restMs: () => 0 })

  async function requireWhole(): Promise<void> {
    for (const [sha256, photo] of photos)
      assert.ok((await originalOf(waymark.installation, sha256)).equals(photo), sha256)
    const findings: Finding[] = []
    await createIntegrity({ database, blobs }).check('bytes', (finding) => findings.push(finding))
    assert.deepEqual(findings, [])
  }

  const stateOf = async (sha256: string) =>
    db
      .selectFrom('content')
      .select(['original', 'condemned_at as markedAt'])
      .where('sha256', '=', sha256)
      .executeTakeFirstOrThrow()
  return { waymark, person, db, blobs, photos, rebuildingOn, requireWhole, stateOf }
}

const countBlobs = async (blobs: Blobs): Promise<number> =>
  (await Array.fromAsync(blobs.list(''), ({ key }) => key)).length

const views = ['sm', '150', 'md', '640'].flatMap((size) => [`&t=${size}`, `&t=${size}&f=webp`])

/** @returns a function that views all small sizes of all photos: they must be unchanged and not be regenerated. */
async function startViewing({ fetch, installation: { database }, app }: Waymark) {
  const images = await database.db.selectFrom('image').select('id').execute()
  const see = async (path: string): Promise<unknown> => {
    const answer = await fetch(path)
    return [path, answer.status, answer.headers.get('etag'), digestOf(await answer.bytes())]
  }
  const seeAll = () =>
    Promise.all(images.flatMap(({ id }) => views.map((query) => see(`/ImageHandler?id=${id}${query}`))))
  const before = await seeAll()
  const jobs = app.renditions.jobsStarted()
  return async (): Promise<void> => {
    assert.deepEqual(await seeAll(), before)
    assert.equal(app.renditions.jobsStarted(), jobs)
  }
}

void test('photos that are stored twice are stored once, and their originals stay the same', async (t) => {
  const { waymark, person, db, blobs, photos, rebuildingOn, requireWhole } = await startWithTwice(t, 3)
  assert.equal(await countStoredTwice(db), 3)
  await requireWhole()
  const ask = () => waymark.fetch('/v2/trails/4711/images', { token: person.token })
  await ask()
  const before = waymark.app.answersFromMemory()
  assert.deepEqual(await rebuildingOn().run(always), { rebuilt: 3, keptWhole: 0, left: 0 })
  await ask()
  assert.equal(waymark.app.answersFromMemory() - before, 1, 'nothing that is kept ends with it')
  for (const sha256 of photos.keys()) assert.equal(await blobs.has(originalKey(sha256)), false)
  await requireWhole()
  const jobs = waymark.app.renditions.jobsStarted()
  assert.equal(jobs, 3, 'nothing is decoded for it')
  assert.deepEqual(await rebuildingOn().run(always), { rebuilt: 0, keptWhole: 0, left: 0 })
})

void test('a photo that cannot be rebuilt, or is incomplete, stays unchanged and is not tried again', async (t) => {
  const { waymark, db, blobs, photos, rebuildingOn, stateOf } = await startWithTwice(t, 4)
  const sees = await startViewing(waymark)
  const [lost = '', damaged = '', other = '', turned = ''] = photos.keys()
  await blobs.remove(originalKey(lost))
  await blobs.put(originalKey(damaged), Buffer.from('damaged'), 'durable')
  const bitTurned = Buffer.from(photos.get(turned) ?? [])
  bitTurned[200] = (bitTurned[200] ?? 0) ^ 1
  await blobs.put(originalKey(turned), bitTurned, 'durable')
  // As if newer rules had encoded size lg again.
  const large = await makePicture(10, 10).png().toBuffer()
  await blobs.put(renditionKey(other, 'lg'), large, 'durable')
  await db
    .updateTable('rendition')
    .set({ bytes: large.length, digest: digestOf(large) })
    .where('sha256', '=', other)
    .where('name', '=', 'lg')
    .execute()
  assert.deepEqual(await rebuildingOn().run(always), { rebuilt: 0, keptWhole: 4, left: 0 })
  const named = (await listRenditions(db, turned)).map(({ name }) => name)
  assert.deepEqual(named.filter(isRemovedName), [], 'nothing is stored of what it could not be rebuilt with')
  for (const sha256 of [other, turned]) assert.ok((await blobs.read(originalKey(sha256)))?.length)
  await sees()
  assert.equal(await countBlobs(blobs), 2 + 3 + 3 + 3, 'their small sizes are in one all the same')
  for (const sha256 of photos.keys())
    assert.deepEqual(await stateOf(sha256), { original: 'whole', markedAt: null })
})

/** Fails at one call of the store and all later ones, like a process killed there. */
function dyingAt(blobs: Blobs, call: number): Blobs {
  let calls = 0
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    calls += 1
    if (calls >= call) throw new Error('killed')
    return work()
  }
  return {
    ...blobs,
    read: (key) => step(() => blobs.read(key)),
    open: (key) => step(() => blobs.open(key)),
    put: (key, bytes, durability) => step(() => blobs.put(key, bytes, durability)),
    has: (key) => step(() => blobs.has(key)),
    remove: (key) => step(() => blobs.remove(key)),
  }
}

void test('at whichever call to the store it dies, everything is readable, and the next run finishes it', async (t) => {
  const { waymark, db, blobs, photos, rebuildingOn, requireWhole, stateOf } = await startWithTwice(t, 1)
  const [sha256 = ''] = photos.keys()
  const sees = await startViewing(waymark)
  let isDone = false
  for (let call = 1; !isDone; call += 1) {
    assert.ok(call < 40)
    await storeAsBefore(waymark.installation, sha256)
    await db.updateTable('content').set({ condemned_at: null }).execute()
    assert.equal(await countBlobs(blobs), 10)
    await rebuildingOn(dyingAt(blobs, call))
      .run(always)
      .catch(() => undefined)
    isDone = (await stateOf(sha256)).original === 'rebuilt'
    await requireWhole()
    await sees()
    await rebuildingOn().run(always)
    assert.deepEqual(await stateOf(sha256), { original: 'rebuilt', markedAt: null }, `before call ${call}`)
    assert.equal(await countBlobs(blobs), blobsOfPhoto)
    await requireWhole()
    await sees()
  }
})

void test('a small size that cannot be read is skipped, and delays no other photo', async (t) => {
  const { waymark, blobs, photos, rebuildingOn } = await startWithTwice(t, 2)
  const [first = ''] = [...photos.keys()].toSorted()
  const failing: Blobs = {
    ...blobs,
    open: async (key, options) => {
      if (key === renditionKey(first, 'sm.jpeg'))
        throw Object.assign(new Error('a bad block'), { code: 'EIO' })
      return blobs.open(key, options)
    },
  }
  const sees = await startViewing(waymark)
  const jobs = waymark.app.renditions.jobsStarted()
  assert.equal((await rebuildingOn(failing).run(always)).rebuilt, 2)
  await assert.rejects(sees(), 'one size is made again')
  assert.ok(waymark.app.renditions.jobsStarted() > jobs)
  assert.equal(await countBlobs(blobs), 2 * blobsOfPhoto)
})

void test('an upload of the same photo is refused as busy while its original is being deleted, and accepted afterwards', async (t) => {
  const { waymark, person, photos, rebuildingOn, requireWhole } = await startWithTwice(t, 1)
  const [[sha256, photo] = ['', Buffer.alloc(0)]] = photos
  const other = await waymark.addPerson()
  const post = () =>
    waymark.fetch(`/Trails/${trailId}/Images`, {
      method: 'POST',
      token: other.token,
      headers: { 'content-type': 'image/jpeg' },
      body: new Uint8Array(photo),
    })
  const { blobs } = waymark.installation
  let refused: Response | undefined
  const during: Blobs = {
    ...blobs,
    remove: async (key) => {
      if (key === originalKey(sha256)) refused = await post()
      await blobs.remove(key)
    },
  }
  assert.equal((await rebuildingOn(during).run(always)).rebuilt, 1)
  assert.ok(refused)
  await assertProblem(refused, 'busy')
  await requireWhole()
  assert.equal((await post()).status, 201)
  await requireWhole()
  assert.equal(await blobs.has(originalKey(sha256)), false)
  assert.equal(person.accountId === other.accountId, false)
})

void test('a photo that is being deleted entirely is left alone, and a run stops when it may not continue', async (t) => {
  const { db, blobs, photos, rebuildingOn, stateOf } = await startWithTwice(t, 2)
  const [first = '', second = ''] = [...photos.keys()].toSorted()
  await db.updateTable('content').set({ condemned_at: 77 }).where('sha256', '=', first).execute()
  const removed = { name: 'removed.0', bytes: 1, digest: first }
  assert.equal(await beginLeaving(db, first, removed, 1), false)
  assert.deepEqual(await rebuildingOn().run({ ...always, mayContinue: () => Promise.resolve(false) }), {
    rebuilt: 0,
    keptWhole: 0,
    left: 2,
  })
  await switchReadOnlyOn(db, 1, 'We move')
  await assert.rejects(rebuildingOn().run(always), { code: 'read-only' })
  assert.equal(await blobs.has(originalKey(second)), true)
  await switchReadOnlyOff(db)
  assert.deepEqual(await rebuildingOn().run(always), { rebuilt: 1, keptWhole: 0, left: 1 })
  assert.deepEqual(await stateOf(first), { original: 'stored', markedAt: 77 })
})

void test('for the first hour, while older nodes may still be running, photos are stored the way those nodes store them', async (t) => {
  const waymark = await startWaymark()
  t.after(() => waymark.close())
  const { database, blobs } = waymark.installation
  const { db } = database
  const now = (): number => waymark.system.now()
  await db.insertInto('counter').values({ name: 'photos-once-from', value: -1 }).execute()
  await waymark.addTrail(trailId, 'Rim Trail')
  const upload = async (width: number): Promise<string> => {
    const person = await waymark.addPerson() // with a new token
    const photo = await makePicture(width, 40).jpeg().toBuffer()
    await waymark.upload(person, trailId, photo)
    return digestOf(photo)
  }
  const early = await upload(70)
  assert.equal(await blobs.has(originalKey(early)), true)
  const rebuilding = createRebuilding({ db, blobs, now, restMs: () => 0 })
  assert.deepEqual(await rebuilding.run(always), { rebuilt: 0, keptWhole: 0, left: 1 })
  waymark.system.advance(3_600_000)
  const later = await upload(80)
  assert.equal(await blobs.has(originalKey(later)), false)
  assert.deepEqual(await rebuilding.run(always), { rebuilt: 1, keptWhole: 0, left: 0 })
  assert.equal(await blobs.has(originalKey(early)), false)
})
