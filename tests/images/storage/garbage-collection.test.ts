// Garbage collection: unreferenced blobs are deleted after a day, referenced ones never, and interrupted deletions are
// finished.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { originalKey, renditionKey } from '../../../src/images/storage/blob-keys.ts'
import { condemnContents, markedForMs, forgetContents } from '../../../src/images/storage/content-table.ts'
import { removeUnreferenced } from '../../../src/images/storage/remove-unreferenced.ts'
import { createGarbageCollection } from '../../../src/images/storage/garbage-collection.ts'
import { filesBelow } from '../../helpers/folders.ts'
import { blobsOfPhoto, jpegPicture } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { hourMs, startSweepable, trailId } from './sweep-place.ts'

void test('blobs that no image uses are deleted when every one of the content is older than a day', async (t) => {
  const { leave, sweep, hasOriginal, folder } = await startSweepable(t)
  const old = await leave('old', 25)
  const young = await leave('young', 23)
  const beingUploaded = await leave('an old original, uploaded again just now', 25, 0)
  const beingKept = await leave('old renditions, whose original was kept just now', 0, 25)
  assert.deepEqual(await sweep(), { blobs: 2, temporaryFiles: 0, failures: 0 })
  for (const [sha256, isThere] of [
    [old, false],
    [young, true],
    [beingUploaded, true],
    [beingKept, true],
  ] as const) {
    assert.equal(await hasOriginal(sha256), isThere)
  }
  assert.equal((await filesBelow(folder)).filter((file) => file.includes(old)).length, 0)
})

void test('blobs of an image stay, whatever its state and age; with the last image they go', async (t) => {
  const { waymark, db, sweep, ageAll, folder } = await startSweepable(t)
  const person = await waymark.addPerson()
  const picture = await jpegPicture()
  const states = ['pending', 'approved', 'rejected', 'removed', 'deleted'] as const
  for (const [seed, state] of states.entries()) {
    const id = await waymark.upload(person, trailId, await jpegPicture({ seed }))
    await db.updateTable('image').set({ state }).where('id', '=', id).execute()
  }
  // With details set, the upload is not a lost response, and the same bytes create another image (C18).
  const setDetails = () => db.updateTable('image').set({ details_set_at: 1 }).execute()
  await setDetails()
  const twice = [await waymark.upload(person, trailId, picture)]
  await setDetails()
  twice.push(await waymark.upload(person, trailId, picture))
  await ageAll(24 * 365)
  const before = await filesBelow(folder)
  assert.deepEqual(await sweep(), { blobs: 0, temporaryFiles: 0, failures: 0 })
  assert.deepEqual(await filesBelow(folder), before)

  await db.deleteFrom('image_history').execute()
  const [first = 0] = twice
  await db.deleteFrom('image').where('id', '=', first).execute()
  await db.deleteFrom('image').where('state', '=', 'removed').execute()
  assert.deepEqual(await sweep(), { blobs: blobsOfPhoto, temporaryFiles: 0, failures: 0 })
  const rows = await db.selectFrom('content').select('sha256').execute()
  assert.equal(rows.length, states.length - 1)
  const renditions = await db.selectFrom('rendition').select('name').execute()
  assert.equal(renditions.length, blobsOfPhoto * rows.length)
  const view = await waymark.fetch(`/ImageHandler?id=${twice[1]}&t=lg`)
  assert.deepEqual(Buffer.from(await view.arrayBuffer()), picture)
  assert.equal(waymark.app.renditions.jobsStarted(), states.length + 2, 'nothing had to be remade')
})

void test('temporary files are deleted after a day, and other files are left alone', async (t) => {
  const { waymark, sweep, folder, age } = await startSweepable(t)
  await waymark.installation.blobs.put('somebody/elses.file', Buffer.from('x'), 'durable')
  for (const [name, hours] of [
    ['old', 25],
    ['young', 23],
  ] as const) {
    await writeFile(path.join(folder, 'tmp', name), 'half an upload')
    await age(path.join('tmp', name), hours)
  }
  await age('kept/somebody/elses.file', 1_000)
  assert.deepEqual(await sweep(), { blobs: 0, temporaryFiles: 1, failures: 0 })
  assert.deepEqual(await filesBelow(folder), ['kept/somebody/elses.file', 'tmp/young'])
})

void test('what a killed sweep had marked is finished by the next, and until then uploads of it wait', async (t) => {
  const { waymark, db, sweep, ageAll, folder } = await startSweepable(t)
  const { system } = waymark
  const person = await waymark.addPerson()
  const picture = await jpegPicture()
  await waymark.upload(person, trailId, picture)
  await db.deleteFrom('image_history').execute()
  await db.deleteFrom('image').execute()
  await db.updateTable('content').set({ condemned_at: system.now() }).execute()
  await ageAll(25)

  const init = { method: 'POST', token: person.token, headers: { 'content-type': 'image/jpeg' } }
  const refused = await waymark.fetch(`/Trails/${trailId}/Images`, { ...init, body: Buffer.from(picture) })
  assert.equal(refused.headers.get('retry-after'), '1')
  await assertProblem(refused, 'busy')
  await ageAll(25)

  // The mark is recent: another process may be deleting it now.
  assert.deepEqual(await sweep(), { blobs: 0, temporaryFiles: 0, failures: 0 })
  system.advance(11 * 60_000)
  assert.deepEqual(await sweep(), { blobs: blobsOfPhoto, temporaryFiles: 0, failures: 0 })
  assert.deepEqual(await filesBelow(folder), [])
  assert.deepEqual(await db.selectFrom('content').select('sha256').execute(), [])
  await waymark.upload(person, trailId, picture)
})

void test('a marked content whose blobs are new again is released, and its blobs are deleted a day later', async (t) => {
  const { waymark, db, leave, sweep, hasOriginal, ageAll } = await startSweepable(t)
  const sha256 = await leave('kept again while it was condemned', 1)
  const markedAt = waymark.system.now() - 2 * hourMs
  await db.insertInto('content').values({ sha256, bytes: 1, condemned_at: markedAt }).execute()
  assert.deepEqual(await sweep(), { blobs: 0, temporaryFiles: 0, failures: 0 })
  assert.deepEqual(await db.selectFrom('content').select('sha256').execute(), [])
  assert.equal(await hasOriginal(sha256), true)
  await ageAll(25)
  assert.deepEqual(await sweep(), { blobs: 2, temporaryFiles: 0, failures: 0 })
})

void test('of simultaneous deletions one owns the mark, until it is so old that its owner must have died', async (t) => {
  const { db, waymark } = await startSweepable(t)
  const sha256 = 'ab'.repeat(32)
  const at = waymark.system.now()
  const condemn = (later: number) => condemnContents(db, [sha256], at + later)
  const marks = async () =>
    (await db.selectFrom('content').selectAll().execute()).map((row) => row.condemned_at)
  assert.deepEqual(await condemn(0), [sha256])
  assert.deepEqual(await condemn(0), [])
  assert.deepEqual(await condemn(markedForMs - 1), [])
  assert.deepEqual(await marks(), [at])
  assert.deepEqual(await condemn(markedForMs), [sha256])
  await forgetContents(db, [sha256], at)
  assert.deepEqual(await marks(), [at + markedForMs], 'the first may not lift what is no longer its own')
  await forgetContents(db, [sha256], at + markedForMs)
  assert.deepEqual(await marks(), [])
})

void test('a deletion that takes too long stops before another may take over its mark', async (t) => {
  const { waymark, db, leave, hasOriginal } = await startSweepable(t)
  const sha256 = await leave('slow', 25)
  const { blobs } = waymark.installation
  const slow = {
    ...blobs,
    removeAll: (keys: readonly string[], mayGoOn: () => boolean) =>
      blobs.removeAll(keys, () => {
        const goesOn = mayGoOn()
        waymark.system.advance(markedForMs / 4)
        return goesOn
      }),
  }
  const now = () => waymark.system.now()
  const keys = [...Array.from({ length: 3 }, (_, at) => renditionKey(sha256, `${at}`)), originalKey(sha256)]
  assert.equal(await removeUnreferenced({ db, blobs: slow, now }, sha256, keys), 0)
  assert.equal(await hasOriginal(sha256), true)
  const [row] = await db.selectFrom('content').select('condemned_at').execute()
  assert.notEqual(row?.condemned_at ?? null, null, 'it keeps its mark')
})

void test('a blob that cannot be deleted keeps its mark and delays no other, and the next sweep begins with it', async (t) => {
  const { waymark, db, leave, hasOriginal } = await startSweepable(t)
  const sha256 = await leave('stuck', 25)
  const { blobs } = waymark.installation
  const now = () => waymark.system.now()
  const other = await leave('free', 25)
  const stuck: typeof blobs = {
    ...blobs,
    removeAll: async (keys, mayGoOn) => {
      const isStuck = (key: string): boolean => key === originalKey(sha256)
      const done = await blobs.removeAll(
        keys.filter((key) => !isStuck(key)),
        mayGoOn,
      )
      const failed = keys.filter(isStuck).map((key) => [key, new Error('this disk does not delete')] as const)
      return new Map([...done, ...failed])
    },
  }
  const done = await createGarbageCollection(db, stuck, now).run()
  assert.deepEqual(done, { blobs: 2, temporaryFiles: 0, failures: 1 })
  assert.equal(await hasOriginal(other), false)
  const [row] = await db.selectFrom('content').select('condemned_at').execute()
  assert.equal(row?.condemned_at, now())
  waymark.system.advance(hourMs)
  await createGarbageCollection(db, blobs, now).run()
  assert.equal(await hasOriginal(sha256), false)
})

void test('a store that takes long to list is walked in parts of an hour, by any node, and then from the beginning', async (t) => {
  const { waymark, db, leave, hasOriginal } = await startSweepable(t)
  const { blobs } = waymark.installation
  const now = () => waymark.system.now()
  let listed = 0
  const slow: typeof blobs = {
    ...blobs,
    list: async function* (folder, after) {
      for await (const blob of blobs.list(folder, after)) {
        listed += 1
        waymark.system.advance(60_000)
        yield blob
      }
    },
  }
  /** In hash order; every other one is recent, and stays. */
  const contents: { readonly text: string; readonly sha256: string; readonly isOld: boolean }[] = []
  for (let at = 0; at < 40; at += 1) {
    const [text, isOld] = [`content ${at}`, at % 2 === 0]
    contents.push({ text, sha256: await leave(text, isOld ? 30 : 0), isOld })
  }
  contents.sort((one, other) => (one.sha256 < other.sha256 ? -1 : 1))
  const reached: string[] = []
  for (let goesOn = true; goesOn && reached.length < 20;) {
    listed = 0
    const { goesOnAt = 'the end', failures } = await createGarbageCollection(db, slow, now).run()
    assert.equal(failures, 0)
    assert.ok(listed <= 26, `${listed} were listed in one run`)
    for (const { sha256, isOld } of contents)
      assert.equal(await hasOriginal(sha256), !isOld || sha256 >= goesOnAt.replace('the end', 'g'), sha256)
    assert.ok(goesOnAt > (reached.at(-1) ?? ''), 'each run comes further')
    reached.push(goesOnAt)
    goesOn = goesOnAt !== 'the end'
  }
  assert.deepEqual([reached.length > 3, reached.at(-1)], [true, 'the end'])
  const first = contents.find(({ isOld }) => isOld)
  assert.ok(first)
  await leave(first.text, 30)
  await createGarbageCollection(db, slow, now).run()
  assert.equal(await hasOriginal(first.sha256), false, 'from the beginning')
})

void test('a server that stops ends its sweep at once; the next continues there, or begins again if nothing is there', async (t) => {
  const { waymark, db, leave } = await startSweepable(t)
  const { installation, system } = waymark
  const later = (milliseconds: number) => () => (system.advance(milliseconds), system.now())
  const sweepIn = (milliseconds: number) =>
    createGarbageCollection(db, installation.blobs, later(milliseconds))
  for (const text of ['a', 'b', 'c', 'd']) await leave(text, 30)
  const { goesOnAt = '' } = await sweepIn(60_000).run(AbortSignal.abort())
  assert.equal((await sweepIn(0).run(AbortSignal.abort())).goesOnAt, goesOnAt.slice(0, 12))
  assert.deepEqual(await sweepIn(0).run(), { blobs: 4, temporaryFiles: 0, failures: 0 })
})

void test('a walk that fails continues a minute before the failure', async (t) => {
  const { waymark, db, leave } = await startSweepable(t)
  const { blobs } = waymark.installation
  const now = () => waymark.system.now()
  for (let content = 0; content < 120; content += 1) await leave(`content ${content}`, 30)
  let maxListed = 210
  const starts: (string | undefined)[] = []
  const breaking: typeof blobs = {
    ...blobs,
    list: async function* (folder, after) {
      if (folder === 'original') starts.push(after)
      for await (const blob of blobs.list(folder, after)) {
        maxListed -= 1
        if (maxListed < 0) throw new Error('the store has gone')
        waymark.system.advance(1_000)
        yield blob
      }
    },
  }
  await assert.rejects(createGarbageCollection(db, breaking, now).run(), /the store has gone/)
  maxListed = 1_000
  assert.deepEqual((await createGarbageCollection(db, breaking, now).run()).failures, 0)
  assert.equal(starts[0], undefined)
  assert.match(starts[1] ?? '', /^original\/[0-9a-f]{2}\/[0-9a-f]{12}$/)
  const { blobs: left } = await createGarbageCollection(db, blobs, now).run()
  assert.equal(left, 0, 'nothing was passed over')
})
