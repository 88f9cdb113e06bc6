// The order of slices, and the handling of disturbed ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Case, Contender } from '../../bench/parts/bench.ts'
import { runCase } from '../../bench/parts/rounds.ts'

const options = { rounds: 3, sliceMs: 5, isQuick: false, maxForeignCores: Infinity, pacedMs: 1 }

function contendersTelling(names: readonly string[]) {
  const reported: string[] = []
  const contenders = names.map((name): Contender => ({
    name,
    slice: (ms) => {
      reported.push(`${name} ${ms}`)
      return Promise.resolve({ done: reported.length, cpuUs: 1, wallMs: 1 })
    },
  }))
  return { reported, contenders }
}

const caseOf = (contenders: Case['contenders'], more: Partial<Case> = {}): Case => ({
  name: 'case',
  contenders,
  goals: [],
  ...more,
})

void test('each round starts with a different contender, and an absent one is skipped', async () => {
  const { reported, contenders } = contendersTelling(['a', 'b'])
  const absent = { name: 'c', absent: 'not here.' }
  const result = await runCase(caseOf([...contenders, absent]), options)
  assert.deepEqual(reported, ['a 5', 'b 5', 'b 5', 'a 5', 'a 5', 'b 5'])
  assert.deepEqual(result.absent, [absent])
  assert.deepEqual(
    result.slices.get('b')?.map(({ done }) => done),
    [2, 3, 6],
  )
})

void test('disturbed slices are repeated, up to half as many as there are; further ones are kept and reported', async () => {
  const { reported, contenders } = contendersTelling(['a', 'b'])
  const result = await runCase(caseOf(contenders), { ...options, maxForeignCores: -1 })
  assert.equal(result.discarded, 3)
  assert.equal(result.disturbed, 6)
  assert.equal(reported.length, 9)
  assert.equal(result.slices.get('a')?.length, 3)
})

void test('a case may have its own rounds and slices, except in a trial', async () => {
  const own = contendersTelling(['a'])
  await runCase(caseOf(own.contenders, { rounds: 2, sliceMs: 9 }), options)
  assert.deepEqual(own.reported, ['a 9', 'a 9'])
  const quick = contendersTelling(['a'])
  await runCase(caseOf(quick.contenders, { rounds: 2, sliceMs: 9 }), { ...options, rounds: 1, isQuick: true })
  assert.deepEqual(quick.reported, ['a 5'])
})

void test('latency goals are measured at half of the rate reached', async () => {
  const rates: number[] = []
  const paced = (name: string): Contender => ({
    name,
    slice: () => Promise.resolve({ done: 300, cpuUs: 1, wallMs: 1_000 }),
    pace: (perSecond) => {
      rates.push(perSecond)
      return Promise.resolve([4])
    },
  })
  const goals = [{ what: '', of: 'a', to: 'b', figure: 'cpu' }] as const
  const result = await runCase(caseOf([paced('a'), paced('b')], { goals }), options)
  assert.deepEqual(rates, [150])
  assert.deepEqual([...result.pacings], [['a', { perSecond: 150, latenciesMs: [4] }]])
})
