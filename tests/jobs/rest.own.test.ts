// A job pauses as long as it worked if the server is idle, and nine times as long if it is fully busy.
import assert from 'node:assert/strict'
import { performance, type EventLoopUtilization } from 'node:perf_hooks'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createRest, type Utilization } from '../../src/jobs/rest.ts'

/** A fake clock: utilization between two readings. */
function utilizationOf(shares: readonly number[]): Utilization {
  let [active, idle] = [0, 0]
  const left = [...shares]
  return (now, since) => {
    if (now && since) {
      const [busy, free] = [now.active - since.active, now.idle - since.idle]
      return { active: busy, idle: free, utilization: busy / (busy + free) }
    }
    const share = left.shift() ?? 0
    active += 100 * share
    idle += 100 * (1 - share)
    return { active, idle, utilization: active / (active + idle) } satisfies EventLoopUtilization
  }
}

void test('the busier the server was since the previous pause, the longer the next one is', () => {
  const rest = createRest(utilizationOf([0.9, 0, 1, 0.5, 0]))
  assert.deepEqual(
    [100, 100, 100, 100].map((tookMs) => Math.round(rest(tookMs))),
    [100, 900, 500, 100],
    'what was before the first is none of its matter',
  )
  assert.equal(createRest(utilizationOf([0, 0]))(0.1), 5, 'never less than some milliseconds')
})

void test('a server that works all the time counts as busy, and an idle one does not', async () => {
  const rest = createRest()
  // Other processes may take the CPU during the short work, so the idlest pause counts.
  let idle = Infinity
  for (let tries = 0; tries < 50 && idle >= 400; tries += 1) {
    await pause(60)
    idle = Math.min(idle, rest(100))
  }
  for (const end = performance.now() + 60; performance.now() < end;);
  await pause(0)
  const busy = rest(100)
  assert.ok(idle < 400 && busy > 600, `${idle.toFixed(0)}, ${busy.toFixed(0)}`)
})
