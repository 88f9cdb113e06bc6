// The statistics behind every verdict of the benchmark, with hand-computed figures.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Goal } from '../../bench/parts/bench.ts'
import {
  bootstrapInterval,
  figureOf,
  judge,
  median,
  quantileOf,
  reachesStretch,
} from '../../bench/parts/statistics.ts'

const goal = (limits: Partial<Goal>): Goal => ({ what: '', of: 'a', to: 'b', figure: 'cpu', ...limits })

void test('medians and quantiles lie between the figures', () => {
  assert.equal(median([3, 1, 2]), 2)
  assert.equal(median([4, 1, 2, 3]), 2.5)
  assert.equal(quantileOf([10, 20, 30, 40, 50], 0.25), 20)
  assert.equal(quantileOf([0, 100], 0.99), 99)
  assert.ok(Number.isNaN(median([])))
})

void test('a slice gives CPU per request, requests per second, and the median latency', () => {
  const slice = { done: 50, cpuUs: 2_000, wallMs: 500, latenciesMs: [9, 1, 2] }
  assert.equal(figureOf('cpu', slice), 40)
  assert.equal(figureOf('rate', slice), 100)
  assert.equal(figureOf('p50', slice), 2)
})

void test('the interval is the same for the same figures, contains their median, and widens with their spread', () => {
  const close = [1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07]
  const apart = [0.5, 0.8, 0.9, 1.04, 1.3, 1.9, 2.5]
  const uneven = [1.7, 0.91, 2.33, 1.02, 1.18, 3.9, 1.31, 1.29, 0.77, 1.08, 5.1, 1.93, 1.46, 2.71]
  const again = Array.from({ length: 10 }, () => JSON.stringify(bootstrapInterval(uneven)))
  assert.equal(new Set(again).size, 1)
  const narrow = bootstrapInterval(close)
  const wide = bootstrapInterval(apart)
  assert.ok(narrow.low >= 1.01 && narrow.low < 1.04 && narrow.high > 1.04 && narrow.high <= 1.07)
  assert.ok(wide.high - wide.low > 5 * (narrow.high - narrow.low))
  assert.deepEqual(bootstrapInterval([2, 2, 2]), { low: 2, high: 2 })
})

void test('one outlier in seven rounds moves neither median nor verdict', () => {
  const interval = bootstrapInterval([1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 40])
  assert.equal(judge(goal({ atMost: 1.35 }), interval, 7), 'met')
})

void test('a goal is met or missed only if the whole interval is on one side of it', () => {
  const atMost = goal({ atMost: 2 })
  assert.equal(judge(atMost, { low: 1.2, high: 2 }, 7), 'met')
  assert.equal(judge(atMost, { low: 2.01, high: 3 }, 7), 'NOT MET')
  assert.equal(judge(atMost, { low: 1.9, high: 2.1 }, 7), 'INCONCLUSIVE')
  const atLeast = goal({ atLeast: 150 })
  assert.equal(judge(atLeast, { low: 150, high: 170 }, 7), 'met')
  assert.equal(judge(atLeast, { low: 100, high: 149 }, 7), 'NOT MET')
  assert.equal(judge(atLeast, { low: 100, high: 170 }, 7), 'INCONCLUSIVE')
})

void test('there is no verdict without a goal, or with fewer than seven rounds', () => {
  assert.equal(judge(goal({}), { low: 1, high: 1 }, 7), 'no verdict')
  assert.equal(judge(goal({ atMost: 2 }), { low: 1, high: 1 }, 6), 'no verdict')
})

void test('the stretch goal lies in the direction of the goal', () => {
  assert.equal(reachesStretch(goal({ atMost: 3, stretch: 2 }), 1.9), true)
  assert.equal(reachesStretch(goal({ atMost: 3, stretch: 2 }), 2.1), false)
  assert.equal(reachesStretch(goal({ atLeast: 2, stretch: 3 }), 3.1), true)
  assert.equal(reachesStretch(goal({ atMost: 3 }), 1), false)
})
