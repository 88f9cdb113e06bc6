// A wall clock that jumps by a year and by a day: nothing is lost, ids stay unique, and tokens and limits behave sensibly
// (trust 12).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { contentOf } from '../../src/images/storage/blob-keys.ts'
import { isReferenced } from '../../src/images/storage/content-table.ts'
import { newFolder } from '../helpers/folders.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'
import { findLimitFaults, runClockJumps, someJumps } from './clock.ts'
import { trailId } from './harness/installation.ts'
import { year } from './harness/jumping-clock.ts'
import { startLoad } from './harness/load.ts'
import { whyNoPreload } from './harness/preload.ts'
import { findLost } from './harness/verify.ts'
import { clockIds } from './wrong/variants.ts'

const skip = whyNoPreload()

void test('trust 12: uploads, tokens, order and sweep survive jumps of the clock', { skip }, async (t) => {
  const report = await runClockJumps({ folder: await newFolder(t), jumps: someJumps })
  assert.deepEqual(report.faults, [])
  t.diagnostic(`${report.jumps} jumps, ${report.acknowledged} acknowledged, idle ${report.idleCpuMs} ms/s`)
})

void test('the test itself: IDs derived from the clock are caught', { skip }, async (t) => {
  const { faults } = await runClockJumps({ folder: await newFolder(t), jumps: [year], program: clockIds })
  assert.ok(
    faults.some((fault) => fault.includes('answered 500')),
    faults.join('\n'),
  )
})

void test('trust 12: a rate limit that was reached lasts no longer than its window', { skip }, async (t) => {
  assert.deepEqual(await findLimitFaults(await newFolder(t)), [])
})

/** Garbage collection runs continuously during uploads, with a clock so far ahead that all their blobs look old. */
async function sweepUnderUploads(t: Waymark, sweep: () => Promise<void>): Promise<string[]> {
  await t.addTrail(trailId, 'Rim Trail')
  t.system.advance(2 * year * 1_000)
  const { token } = await t.addPerson({ role: 'admin' })
  const load = startLoad({ url: t.url, token, clients: 8, firstSeed: 1 })
  let sweeps = 0
  while (load.acknowledged.length < 60 || sweeps < 10) {
    await sweep()
    sweeps += 1
  }
  await load.stop()
  assert.deepEqual(
    [...load.others.keys()].filter((status) => status !== 503),
    [],
  )
  return findLost({ dataDir: t.dataDir, url: t.url, token }, load.acknowledged)
}

const settings = { IMAGE_QUEUE: '100', QUOTA_PENDING_IMAGES: '0' }

void test('trust 3, 12: a sweep that mistakes new blobs for old ones deletes nothing of an upload', async (t) => {
  const waymark = await startWaymark({ environment: settings })
  t.after(() => waymark.close())
  assert.deepEqual(await sweepUnderUploads(waymark, () => waymark.app.sweep()), [])
})

void test('the test itself: a sweep without the protocol is caught', async (t) => {
  const unreferenced = new Set<string>()
  const waymark = await startWaymark({
    environment: settings,
    // It starts exactly when an upload has its blob but not yet its row.
    wrapBlobs: (blobs) => ({
      ...blobs,
      put: async (key, bytes, durability) => {
        await blobs.put(key, bytes, durability)
        if (!(await isReferenced(waymark.installation.database.db, contentOf(key) ?? '')))
          unreferenced.add(key)
      },
    }),
  })
  t.after(() => waymark.close())
  const lost = await sweepUnderUploads(waymark, async () => {
    await pause(20) // longer than it takes to check these blobs
    for (const key of unreferenced) await waymark.installation.blobs.remove(key)
    unreferenced.clear()
  })
  assert.ok(lost.length > 0)
})
