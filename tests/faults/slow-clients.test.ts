// Hundreds of slow senders and stalled readers are disconnected while a fast client is served (trust 16, 17), with
// timeouts of seconds. slow-clients.ts does it by hand with thousands and the real timeouts.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { whyTooFewFiles } from './harness/crowd.ts'
import { faultsOf, runSlowClients } from './slow-clients.ts'

const clients = 600
const bodies = 60
const readers = 100
const timeouts = { headersSeconds: 2, requestSeconds: 3, uploadSeconds: 12, idleSeconds: 3 }
const skip = process.platform === 'linux' ? whyTooFewFiles(clients + 3 * bodies) : 'memory is read from /proc'

void test(
  'trust 16, 17: slow clients and readers that stop are all disconnected, and cost neither time nor memory',
  { skip },
  async (t) => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'waymark-slow-'))
    t.after(() => rm(dataDir, { recursive: true, force: true }))
    const report = await runSlowClients(dataDir, {
      clients,
      bodies,
      readers,
      timeouts,
      aloneMs: 1_000,
      lateMs: 10_000,
    })
    assert.deepEqual(faultsOf(report), [])
    const answers = Object.fromEntries(report.kinds.map(({ name, statuses }) => [name, [...statuses]]))
    assert.deepEqual(answers, {
      headers: [[408, clients]],
      details: [[408, bodies]],
      uploads: [[408, bodies]],
      'bodies that nobody reads': [[404, bodies]],
      readers: [],
    })
    assert.ok(report.whileSending.requests > 20 && report.whileReading.requests > 20)
    t.diagnostic(
      `+${Math.round(report.sendersGrowth / 1e6)} MB, +${Math.round(report.readersGrowth / 1e6)} MB`,
    )
  },
)
