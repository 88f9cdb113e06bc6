// Parallel garbage collection: it lists and deletes at the same time, beside another one, and finishes what it has
// started.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createGarbageCollection } from '../../../src/images/storage/garbage-collection.ts'
import { startSweepable } from './sweep-place.ts'

void test('listing continues while pages are removed, at most two at a time, and the sweep ends only when all are done', async (t) => {
  const { waymark, db, leave } = await startSweepable(t)
  const { blobs } = waymark.installation
  for (let content = 0; content < 450; content += 1) await leave(`content ${content}`, 30)
  let listed = 0
  let removing = 0
  let maxRemoving = 0
  const listedMeanwhile: number[] = []
  const watched: typeof blobs = {
    ...blobs,
    list: async function* (folder, after) {
      for await (const blob of blobs.list(folder, after)) {
        listed += 1
        yield blob
      }
    },
    removeAll: async (keys, mayGoOn) => {
      const before = listed
      removing += 1
      maxRemoving = Math.max(maxRemoving, removing)
      // Of two deletions in progress, the first waits for the listing: at most ten seconds, without success if that does
      // not continue.
      const isAlone = (): boolean => removing === 1 && listed < 900
      for (let turns = 0; isAlone() && turns < 1_000; turns += 1) await pause(10)
      const failed = await blobs.removeAll(keys, mayGoOn)
      removing -= 1
      listedMeanwhile.push(listed - before)
      return failed
    },
  }
  const done = await createGarbageCollection(db, watched, () => waymark.system.now()).run()
  assert.deepEqual(done, { blobs: 900, temporaryFiles: 0, failures: 0 })
  assert.deepEqual([removing, maxRemoving, listedMeanwhile.length], [0, 2, 5])
  assert.ok(Math.max(...listedMeanwhile) >= 100, listedMeanwhile.join())
})

void test('two concurrent sweeps remove everything', async (t) => {
  const { waymark, db, leave } = await startSweepable(t)
  const { blobs } = waymark.installation
  for (let content = 0; content < 250; content += 1) await leave(`content ${content}`, 30)
  const removed: string[] = []
  const watched: typeof blobs = {
    ...blobs,
    removeAll: async (keys, mayGoOn) => {
      removed.push(...keys)
      await pause(5)
      return blobs.removeAll(keys, mayGoOn)
    },
  }
  const sweep = () => createGarbageCollection(db, watched, () => waymark.system.now()).run()
  const both = await Promise.all([sweep(), sweep()])
  assert.deepEqual(await Array.fromAsync(blobs.list('')), [])
  assert.deepEqual(await db.selectFrom('content').select('sha256').execute(), [])
  assert.equal(
    both.reduce((sum, done) => sum + done.failures, 0),
    0,
  )
  assert.ok(removed.length >= 500, `${removed.length} of 500`)
})

void test('a sweep that is stopped, or whose store fails, finishes what it has started, and the next one removes the rest', async (t) => {
  const { waymark, db, leave } = await startSweepable(t)
  const { blobs } = waymark.installation
  const now = () => waymark.system.now()
  for (let content = 0; content < 450; content += 1) await leave(`content ${content}`, 30)
  const stopping = new AbortController()
  let isGone = false
  let removing = 0
  let listed = 0
  const watched: typeof blobs = {
    ...blobs,
    list: async function* (folder, after) {
      for await (const blob of blobs.list(folder, after)) {
        listed += 1
        if (isGone && listed > 300) throw new Error('the store has gone')
        if (!isGone && listed === 300) stopping.abort()
        yield blob
      }
    },
    removeAll: async (keys, mayGoOn) => {
      removing += 1
      await pause(50)
      const failed = await blobs.removeAll(keys, mayGoOn)
      removing -= 1
      return failed
    },
  }
  const stopped = await createGarbageCollection(db, watched, now).run(stopping.signal)
  assert.deepEqual([stopped.failures, removing], [0, 0])
  assert.ok(stopped.blobs >= 200 && stopped.blobs < 400, `${stopped.blobs} were removed`)
  isGone = true
  listed = 0
  await assert.rejects(createGarbageCollection(db, watched, now).run(), /the store has gone/)
  assert.equal(removing, 0)
  assert.deepEqual(await db.selectFrom('content').select('sha256').execute(), [], 'no mark is left')
  await createGarbageCollection(db, blobs, now).run()
  assert.deepEqual(await Array.fromAsync(blobs.list('')), [])
})
