// Two thousand damaged images sent to a real server: none crashes it, none gets a 500.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runMutants } from './mutants.ts'

void test('trust 23: each of 2,000 mutants is accepted and served completely, or refused with 415 or 422', async (t) => {
  const report = await runMutants({ count: 2_000, seed: 23 })
  assert.deepEqual(report.faults, [])
  assert.equal(report.sent, 2_000)
  const statuses = Object.fromEntries(report.statuses)
  for (const status of [201, 415, 422]) assert.ok((statuses[status] ?? 0) > 20, JSON.stringify(statuses))
  t.diagnostic(`${JSON.stringify(statuses)}, slowest ${Math.round(report.slowest.milliseconds)} ms`)
})
