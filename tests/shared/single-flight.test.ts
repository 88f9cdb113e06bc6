// Concurrent requests share the work in progress, or the next run if it must start afterwards.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextFlight, singleFlight } from '../../src/shared/single-flight.ts'

/** Work that ends when the test says so. */
function heldWork() {
  const begun: { readonly key: string; readonly end: PromiseWithResolvers<number> }[] = []
  const work = (key: string): Promise<number> => {
    const end = Promise.withResolvers<number>()
    begun.push({ key, end })
    return end.promise
  }
  return { begun, work }
}

void test('concurrent callers share the same work; a later call starts new work', async () => {
  const { begun, work } = heldWork()
  const ask = singleFlight(work)
  const asked = [ask('a'), ask('b'), ask('a')]
  assert.deepEqual(
    begun.map(({ key }) => key),
    ['a', 'b'],
  )
  for (const [index, { end }] of begun.entries()) end.resolve(index)
  assert.deepEqual(await Promise.all(asked), [0, 1, 0])
  const again = ask('a')
  assert.equal(begun.length, 3)
  begun[2]?.end.resolve(2)
  assert.equal(await again, 2)
})

void test('a failure is passed to all who share the work, and ends it', async () => {
  const { begun, work } = heldWork()
  const ask = singleFlight(() => work(''))
  const asked = [ask(), ask()]
  begun[0]?.end.reject(new Error('broken'))
  for (const one of asked) await assert.rejects(one, /broken/)
  void ask()
  assert.equal(begun.length, 2)
})

void test('callers that need work started after their call share the next one, even after a failure', async () => {
  const { begun, work } = heldWork()
  const ask = nextFlight(work)
  const first = ask('a')
  const [second, third] = [ask('a'), ask('a')]
  assert.equal(begun.length, 1)
  begun[0]?.end.reject(new Error('broken'))
  await assert.rejects(first, /broken/)
  begun[1]?.end.resolve(1)
  assert.deepEqual(await Promise.all([second, third]), [1, 1])
  void ask('a')
  assert.equal(begun.length, 3)
})
