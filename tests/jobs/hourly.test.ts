// The hourly work of the only server: what failed is tried again some minutes later, and not before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Blobs } from '../../src/storage/port.ts'
import { startWaymark } from '../helpers/waymark.ts'

const minuteMs = 60_000

void test('an hourly sweep that fails is retried after ten minutes; one that succeeds runs again after an hour', async (t) => {
  let isGone = true
  const swept: number[] = []
  let minutes = 0
  const failing = (blobs: Blobs): Blobs => ({
    ...blobs,
    sweepStaged: (before) => {
      swept.push(minutes)
      if (isGone) return Promise.reject(new Error('this disk has gone'))
      return blobs.sweepStaged(before)
    },
  })
  const waymark = await startWaymark({ wrapBlobs: failing })
  t.after(() => waymark.close())
  const { app, system } = waymark
  const wait = (more: number): void => {
    minutes += more
    system.advance(more * minuteMs)
  }
  for (const [more, isTried] of [
    [0, true],
    [5, false],
    [5, true],
    [9, false],
  ] as const) {
    wait(more)
    if (isTried) await assert.rejects(app.runMaintenanceIfDue(), /this disk has gone/)
    else await app.runMaintenanceIfDue()
  }
  isGone = false
  for (const more of [1, 10, 47, 1]) {
    wait(more)
    await app.runMaintenanceIfDue()
  }
  assert.deepEqual(swept, [0, 10, 20, 78])
})
