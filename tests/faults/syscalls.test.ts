// File-system calls of an upload, an edit, a review and a view failed in turn, a limited number: 503, 507 or a correct
// response (trust 4).
import assert from 'node:assert/strict'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { newFolder } from '../helpers/folders.ts'
import type { Failure } from './harness/failing-calls.ts'
import { whyNoPreload } from './harness/preload.ts'
import { runSyscalls, siteOf } from './syscalls.ts'
import { deaf } from './wrong/variants.ts'

const skip = whyNoPreload()

/**
 * A failing disk may fail any call (opening or closing a file that is being synced counts as the sync, which ends the
 * process), a full disk fails writes, and without descriptors nothing can be opened.
 */
const suffering: Readonly<Record<Failure, RegExp>> = {
  EIO: /^(?!(open|close) blobs\/kept)/,
  ENOSPC: /^(open|write|pwrite64|fsync|mkdir|rename) /,
  EMFILE: /^open /,
}

/** One call of each step of the request. */
function sample(calls: readonly string[], failure: Failure): number[] {
  const sites = calls.map(siteOf)
  return sites.flatMap((site, at) =>
    sites.indexOf(site) === at && suffering[failure].test(site) ? [at + 1] : [],
  )
}

async function run(t: TestContext, failures: readonly Failure[], program?: readonly string[]) {
  const folder = await newFolder(t)
  const dataDir = path.join(folder, 'data')
  return runSyscalls({ dataDir, folder, failures, choose: sample, ...(program && { program }) })
}

void test(
  'trust 4, 11: no failing system call causes a false success, a 500 or a dead process',
  { skip },
  async (t) => {
    const report = await run(t, ['EIO', 'ENOSPC', 'EMFILE'])
    assert.deepEqual(report.faults, [])
    assert.ok(
      report.attempts > 50 && report.stops > 0,
      `${report.attempts} calls failed, ${report.stops} stops`,
    )
    t.diagnostic(`${report.attempts} calls failed at ${report.sites.size} places, ${report.stops} stops`)
  },
)

void test('the test itself: a server that ignores errors of its store is caught', { skip }, async (t) => {
  const { faults } = await run(t, ['ENOSPC'], deaf)
  assert.ok(
    faults.some((fault) => fault.includes('its original is missing')),
    faults.join('\n'),
  )
})
