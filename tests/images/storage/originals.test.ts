// Rebuildable originals: the order of writes, and that each original is available at all times during replacements.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import type { Blobs } from '../../../src/storage/port.ts'
import { isRemovedName, nameIn, originalKey, renditionKey } from '../../../src/images/storage/blob-keys.ts'
import { createIntegrity, type Finding } from '../../../src/images/storage/integrity.ts'
import { openOriginal, takeOriginal } from '../../../src/images/storage/originals.ts'
import { listOutdated, listRenditions } from '../../../src/images/storage/rendition-table.ts'
import { createRenditionStore } from '../../../src/images/view/rendition-store.ts'
import { refuse } from '../../../src/errors.ts'
import { originalOf, storeAsBefore, storeOlderLarge } from '../../helpers/older-store.ts'
import { blobsOfPhoto, bmpStoredWhole, jpegPicture } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark, type Person } from '../../helpers/waymark.ts'

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** With metadata that size lg lacks, and trailing bytes. */
async function photoWithSecrets(seed: number): Promise<Buffer> {
  const photo = await jpegPicture({ seed, width: 120, height: 90 })
  const segment = Buffer.from([0xff, 0xe1, 0, 20, ...Buffer.from('Exif\0\0 a position!')])
  return Buffer.concat([photo.subarray(0, 2), segment, photo.subarray(2), Buffer.from('behind the end')])
}

interface Write {
  readonly name: string
  readonly durability: string
}

/** A server whose store reports each write before and after it, as points at which it could crash. */
async function start(t: TestContext) {
  const writes: Write[] = []
  let look: () => Promise<void> = () => Promise.resolve()
  const tell = async (write: Write, work: () => Promise<void>): Promise<void> => {
    await look()
    await work()
    writes.push(write)
    await look()
  }
  const wrapBlobs = (blobs: Blobs): Blobs => ({
    ...blobs,
    receive: async (source, limit) => {
      const staged = await blobs.receive(source, limit)
      const keep = (key: string) =>
        tell({ name: 'original', durability: 'durable' }, async () => staged?.keep(key))
      return staged && { ...staged, keep }
    },
    put: (key, bytes, durability) =>
      tell({ name: nameIn(key) ?? 'original', durability }, () => blobs.put(key, bytes, durability)),
  })
  const waymark = await startWaymark({ wrapBlobs, mayFail: true })
  t.after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const { installation } = waymark
  const { db } = installation.database

  async function problems(): Promise<Finding[]> {
    const found: Finding[] = []
    await createIntegrity(installation).check('lengths', (finding) => found.push(finding))
    return found.filter(({ severity }) => severity === 'problem')
  }

  return {
    waymark,
    installation,
    db,
    person: await waymark.addPerson(),
    writes,
    problems,
    countImages: async () => (await db.selectFrom('image').select('id').execute()).length,
    /**
     * Runs a check at each such point.
     * @returns the number of checks.
     */
    during: async (lookAt: () => Promise<void>, work: () => Promise<unknown>): Promise<number> => {
      let looks = 0
      writes.length = 0
      look = async () => {
        looks += 1
        await lookAt()
      }
      await work()
      look = () => Promise.resolve()
      return looks
    },
  }
}

type Started = Awaited<ReturnType<typeof start>>

const placeOf = async ({ db }: Started, sha256: string) =>
  (await db.selectFrom('content').select('original').where('sha256', '=', sha256).executeTakeFirstOrThrow())
    .original

const send = ({ waymark, person }: Started, bytes: Uint8Array, by: Person = person): Promise<Response> =>
  waymark.fetch('/Trails/4711/Images', {
    method: 'POST',
    token: by.token,
    headers: { 'content-type': 'image/jpeg' },
    body: Buffer.from(bytes),
  })

const isEarly = ({ name }: Write): boolean => isRemovedName(name) || name === 'original'

void test('an upload durably writes first what lg lacks, then lg, and its row last', async (t) => {
  const started = await start(t)
  const photo = await photoWithSecrets(1)
  const noRow = async () => assert.equal(await started.countImages(), 0)
  await started.during(noRow, () => started.waymark.upload(started.person, 4711, photo))
  const { writes } = started
  assert.equal(writes.length, 3)
  assert.ok(isRemovedName(writes[0]?.name ?? ''))
  const durable = writes.filter(({ durability }) => durability === 'durable').map(({ name }) => name)
  assert.deepEqual(durable.toSorted(), ['lg', writes[0]?.name])
  assert.equal(await placeOf(started, digestOf(photo)), 'rebuilt')
  assert.equal(await started.installation.blobs.has(originalKey(digestOf(photo))), false)
  assert.ok((await originalOf(started.installation, digestOf(photo))).equals(photo))
})

void test('an upload that cannot be rebuilt from lg is stored unchanged, before lg, and renewed that way', async (t) => {
  const started = await start(t)
  const { waymark, installation, db, writes } = started
  const photo = bmpStoredWhole()
  const sha256 = digestOf(photo)
  const noRow = async () => assert.equal(await started.countImages(), 0)
  const imageId = await waymark.addPerson().then(async (person) => {
    let id = 0
    await started.during(noRow, async () => (id = await waymark.upload(person, 4711, photo)))
    return id
  })
  assert.deepEqual([writes[0]?.name, writes.filter(isEarly).length], ['original', 1])
  assert.equal(await placeOf(started, sha256), 'whole')
  assert.ok(Buffer.from((await installation.blobs.read(originalKey(sha256))) ?? []).equals(photo))
  assert.ok(!(await listRenditions(db, sha256)).some(({ name }) => isRemovedName(name)))

  await db.updateTable('rendition').set({ version: 0 }).where('name', '=', 'lg').execute()
  await waymark.app.sweep()
  assert.deepEqual([await listOutdated(db, 1), await placeOf(started, sha256)], [[], 'whole'])
  assert.ok((await originalOf(installation, sha256)).equals(photo))
  assert.equal((await waymark.fetch(`/ImageHandler?id=${imageId}&t=sm`, {})).status, 200)
  assert.deepEqual(await started.problems(), [])
})

type Before = (started: Started, sha256: string, photo: Buffer) => Promise<void>

/** Storage states of a photo whose size lg is about to be replaced. */
const befores: Readonly<Record<string, Before>> = {
  'as this version stored it': () => Promise.resolve(),
  'with a size lg of older rules': ({ installation }, sha256, photo) =>
    storeOlderLarge(installation, sha256, photo),
  'as a version before stored it': ({ installation }, sha256) => storeAsBefore(installation, sha256),
  'as a version before stored it, with a size lg of older rules': async ({ installation }, sha256, photo) => {
    await storeOlderLarge(installation, sha256, photo)
    await storeAsBefore(installation, sha256)
  },
}

for (const [what, prepare] of Object.entries(befores)) {
  void test(`a photo stored ${what} exists at each moment of a renewal, and of the same upload again`, async (t) => {
    const started = await start(t)
    const { waymark, installation, person, db } = started
    const photo = await photoWithSecrets(2)
    const sha256 = digestOf(photo)
    await waymark.upload(person, 4711, photo)
    const sees = async (): Promise<void> => {
      assert.ok((await originalOf(installation, sha256)).equals(photo))
      assert.deepEqual(await started.problems(), [])
    }
    const others = await waymark.addPerson()
    const works: readonly (() => Promise<unknown>)[] = [
      () => waymark.upload(others, 4711, photo),
      () => waymark.app.sweep(),
    ]
    for (const work of works) {
      await prepare(started, sha256, photo)
      await db.updateTable('rendition').set({ version: 0 }).where('name', '=', 'lg').execute()
      const looks = await started.during(sees, work)
      // The small sizes stay where they are when the same photo is uploaded again.
      const writes = work === works[0] && !what.includes('version before') ? blobsOfPhoto - 1 : blobsOfPhoto
      assert.equal(looks, 2 * writes, 'before and after each write')
      assert.ok(isRemovedName(started.writes[0]?.name ?? ''))
      assert.deepEqual(await listOutdated(db, 1), [])
      await sees()
    }
  })
}

void test('a photo that newer rules cannot rebuild has its original stored before its size lg is replaced', async (t) => {
  const started = await start(t)
  const { waymark, installation, db, person } = started
  const photo = bmpStoredWhole({ seed: 3 })
  const sha256 = digestOf(photo)
  await waymark.upload(person, 4711, photo)
  const others = await waymark.addPerson()
  for (const work of [() => waymark.upload(others, 4711, photo), () => waymark.app.sweep()]) {
    await storeOlderLarge(installation, sha256, photo) // with an empty remainder
    await installation.blobs.remove(originalKey(sha256))
    await db.updateTable('content').set({ original: 'rebuilt' }).where('sha256', '=', sha256).execute()
    const sees = async () => assert.ok((await originalOf(installation, sha256)).equals(photo))
    await started.during(sees, work)
    assert.deepEqual(
      started.writes.filter(isEarly).map(({ name }) => name),
      ['original'],
    )
    assert.equal(started.writes[0]?.name, 'original')
    assert.equal(await placeOf(started, sha256), 'whole')
    await sees()

    // While its content is marked, which may mean that an original is being deleted, nothing is replaced.
    await storeOlderLarge(installation, sha256, photo)
    const marked = { original: 'leaving', condemned_at: waymark.system.now() } as const
    await db.updateTable('content').set(marked).where('sha256', '=', sha256).execute()
    await installation.blobs.remove(originalKey(sha256))
    await started.during(sees, async () => {
      await assertProblem(await send(started, photo, await waymark.addPerson()), 'busy')
      const { renditions } = waymark.app
      const store = createRenditionStore({ db, blobs: installation.blobs, renditions })
      await assert.rejects(store.renew(sha256), { code: 'busy' })
    })
    assert.deepEqual([started.writes, await placeOf(started, sha256)], [[], 'leaving'])
    const lifted = { original: 'rebuilt', condemned_at: null } as const
    await db.updateTable('content').set(lifted).where('sha256', '=', sha256).execute()
    await sees()
  }
})

void test('an original that temporarily cannot be read is not a fault of the photo: its size lg stays outdated', async (t) => {
  const started = await start(t)
  const { waymark, installation, db, person } = started
  const photo = await photoWithSecrets(4)
  const sha256 = digestOf(photo)
  await waymark.upload(person, 4711, photo)
  await db.updateTable('rendition').set({ version: 0 }).where('name', '=', 'lg').execute()
  const { renditions } = waymark.app
  const silent: Blobs = { ...installation.blobs, open: () => Promise.reject(refuse('storage-unavailable')) }
  for (const prepare of [() => Promise.resolve(), () => storeAsBefore(installation, sha256)]) {
    await prepare()
    const store = createRenditionStore({ db, blobs: silent, renditions })
    await assert.rejects(store.renew(sha256), { code: 'storage-unavailable' })
    assert.deepEqual(await listOutdated(db, 1), [sha256])
  }
})

void test('a size lg that is replaced while the original is read is read again', async (t) => {
  const started = await start(t)
  const { waymark, installation, db, person } = started
  const photo = await photoWithSecrets(5)
  const sha256 = digestOf(photo)
  await waymark.upload(person, 4711, photo)
  const rows = await listRenditions(db, sha256)
  let isReplaced = false
  const replacing: Pick<Blobs, 'open'> = {
    open: async (key) => {
      const opened = await installation.blobs.open(key)
      if (!isReplaced && key === renditionKey(sha256, 'lg')) {
        isReplaced = true
        await storeOlderLarge(installation, sha256, photo) // and the remainder for the opened lg is gone
      }
      return opened
    },
  }
  const taken = await takeOriginal(replacing, { sha256, bytes: photo.length }, rows)
  assert.ok('bytes' in taken && taken.bytes.equals(photo))
})

void test('an opened original is streamed to its end, even if the photo is deleted in the meantime', async (t) => {
  const started = await start(t)
  const { waymark, installation, db, person } = started
  const { blobs } = installation
  const photos = [await photoWithSecrets(6), await photoWithSecrets(7), bmpStoredWhole({ seed: 6 })] as const
  for (const photo of photos) await waymark.upload(person, 4711, photo)
  await storeAsBefore(installation, digestOf(photos[1]))
  for (const photo of photos) {
    const sha256 = digestOf(photo)
    const wanted = { sha256, bytes: photo.length }
    const rows = await listRenditions(db, sha256)
    const closed = await openOriginal(blobs, wanted, rows)
    assert.ok('whole' in closed)
    await closed.close()
    const opened = await openOriginal(blobs, wanted, rows)
    assert.ok('whole' in opened && opened.whole.equals(photo))
    for await (const { key } of blobs.list('')) if (key.includes(sha256)) await blobs.remove(key)
    assert.ok(Buffer.concat(await Array.fromAsync(opened.stream())).equals(photo))
    assert.deepEqual(Object.keys(await openOriginal(blobs, wanted, rows)), ['fault'])
  }
})
