// Parallel work with ordered results: limited by number and weight; after a stop, started work is still reported.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { test } from 'node:test'
import { inOrder } from '../../src/shared/in-order.ts'

async function* upTo(count: number): AsyncGenerator<number> {
  for (let item = 0; item < count; item += 1) yield item
}

const light = { atOnce: 4, weightOf: () => 1, maxWeight: 1_000 }

function watched(tookMs: (item: number) => number) {
  const seen = { running: new Set<number>(), max: 0, maxWeight: 0, begun: 0 }
  const work = async (item: number): Promise<number> => {
    seen.begun += 1
    seen.running.add(item)
    seen.max = Math.max(seen.max, seen.running.size)
    seen.maxWeight = Math.max(
      seen.maxWeight,
      [...seen.running].reduce((sum, one) => sum + one, 0),
    )
    await pause(tookMs(item))
    seen.running.delete(item)
    return item
  }
  return { seen, work }
}

const inTurn = (count: number): number[] => Array.from({ length: count }, (_, at) => at)

void test('results come in the order of the items, however long each takes, and concurrency stays within the limit', async () => {
  const { seen, work } = watched((item) => (item % 5 === 0 ? 20 : 1))
  assert.deepEqual(await Array.fromAsync(inOrder(upTo(60), work, light)), inTurn(60))
  assert.equal(seen.max, 4)
})

void test('the number of results waiting for an earlier one is limited', async () => {
  const first = Promise.withResolvers<number>()
  const { seen, work } = watched(() => 0)
  const results = inOrder(upTo(100), (item) => (item === 0 ? first.promise : work(item)), light)
  const next = results.next()
  await pause(50)
  assert.ok(seen.begun > 4 && seen.begun < 20, `${seen.begun} were begun`)
  first.resolve(0)
  assert.deepEqual([(await next).value, ...(await Array.fromAsync(results))], inTurn(100))
})

void test('the total weight stays within the limit, and a heavier item runs alone', async () => {
  const { seen, work } = watched(() => 2)
  const bounds = { atOnce: 4, weightOf: (item: number) => item, maxWeight: 12 }
  assert.deepEqual(await Array.fromAsync(inOrder(upTo(20), work, bounds)), inTurn(20))
  assert.equal(seen.maxWeight, 19, 'the heaviest alone')
  assert.ok(seen.max > 1)
})

void test('once stopped, nothing more is started, and everything started is reported', async () => {
  const stopping = new AbortController()
  const { seen, work } = watched(() => 3)
  const reported: number[] = []
  for await (const item of inOrder(upTo(1_000), work, { ...light, signal: stopping.signal })) {
    reported.push(item)
    if (item === 10) stopping.abort()
  }
  assert.deepEqual(reported, inTurn(seen.begun))
  assert.ok(reported.length < 40)
})

void test('the first failure ends it, after earlier results are reported and concurrent work has ended', async () => {
  const { seen, work } = watched(() => 5)
  const reported: number[] = []
  const failing = async (item: number): Promise<number> => {
    if (item === 7 || item === 8) throw new Error(`${item} failed`)
    return work(item)
  }
  await assert.rejects(
    async () => {
      for await (const item of inOrder(upTo(100), failing, light)) reported.push(item)
    },
    { message: '7 failed' },
  )
  assert.deepEqual([reported, seen.running.size], [inTurn(7), 0])
})
