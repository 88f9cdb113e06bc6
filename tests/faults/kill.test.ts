// A limited number of kills under load: nothing acknowledged is lost, leftovers are collected, and a faulty server is
// detected.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { sweepADayLater } from './harness/day-later.ts'
import { findProblemsInStore } from './harness/verify.ts'
import { runKills } from './kill.ts'
import { ackEarly } from './wrong/variants.ts'

/** On a disk, not in memory: uploads then take long enough that kills hit their steps. */
async function newDataDir(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-kill-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return path.join(folder, 'data')
}

/** Few kills hit the time between blobs and row, and possibly none of five. Then five more follow, on another store. */
const maxRounds = 10

void test('trust 1, 3: kill -9 loses nothing acknowledged, and its leftovers are cleaned up', async (t) => {
  let leftByKills = 0
  for (let round = 1; round <= maxRounds && leftByKills === 0; round += 1) {
    const dataDir = await newDataDir(t)
    const report = await runKills(dataDir, { cycles: 5, uploads: 100 })
    assert.deepEqual(report.lost, [])
    assert.deepEqual(report.problems, [])
    assert.deepEqual([report.strikes, report.goodRestarts, report.repeatedIds], [5, 5, 0])
    assert.ok(report.acknowledged >= 50, `only ${report.acknowledged} uploads were acknowledged`)

    const { left, faults } = await sweepADayLater(dataDir)
    leftByKills = left.unreferencedBlobs
    assert.deepEqual(faults, [])
    assert.deepEqual(await findProblemsInStore(dataDir), [])
    t.diagnostic(
      `${report.strikes} kills, ${report.acknowledged} acknowledged, ${report.unanswered} unanswered`,
    )
  }
  assert.ok(leftByKills > 0, 'no kill fell between blobs and row')
})

void test('the test itself: a server that acknowledges before the rename is caught', async (t) => {
  const dataDir = await newDataDir(t)
  const report = await runKills(dataDir, { cycles: 5, uploads: 100, program: ackEarly, stopAtLoss: true })
  assert.ok(report.lost.length > 0, `${report.strikes} kills found nothing`)
  t.diagnostic(`caught after ${report.strikes} kills: ${report.lost.length} of ${report.acknowledged} lost`)
})
