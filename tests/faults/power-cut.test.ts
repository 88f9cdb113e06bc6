// A limited number of power cuts under load: nothing acknowledged before a cut is lost, and both faulty servers are
// detected.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyNoLoopDisks } from './harness/disks.ts'
import { runPowerCuts } from './power-cut.ts'
import { ackEarly, noFsync } from './wrong/variants.ts'

const skip = whyNoLoopDisks()
const megabytes = 256

void test('trust 2: a power cut loses nothing acknowledged before it', { skip }, async (t) => {
  const report = await runPowerCuts({ cycles: 3, uploads: 60, megabytes })
  assert.deepEqual(report.lost, [])
  assert.deepEqual([report.problems, report.problemsInStore], [[], []])
  assert.deepEqual([report.strikes, report.goodRestarts, report.repeatedIds], [3, 3, 0])
  assert.ok(report.acknowledged >= 30, `only ${report.acknowledged} uploads were acknowledged`)
  t.diagnostic(`${report.strikes} cuts, ${report.acknowledged} acknowledged, ${report.tooLate} too late`)
})

const wrong = { 'acknowledges before the rename': ackEarly, 'never syncs': noFsync }

for (const [what, program] of Object.entries(wrong)) {
  void test(`the test itself: a server that ${what} is caught`, { skip }, async (t) => {
    const report = await runPowerCuts({ cycles: 4, uploads: 60, megabytes, program, stopAtLoss: true })
    assert.ok(report.lost.length > 0, `${report.strikes} cuts found nothing`)
    t.diagnostic(`caught after ${report.strikes} cuts: ${report.lost.length} of ${report.acknowledged} lost`)
  })
}
