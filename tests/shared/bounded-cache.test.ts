// A bounded cache stays within its limit, computes each value once, and finds nothing under another mark.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBoundedCache, createMarkedCache, remembering } from '../../src/shared/bounded-cache.ts'

void test('the least recently used entry is evicted, by number of entries or by size', () => {
  const byEntries = createBoundedCache<number>({ max: 2 })
  byEntries.set('a', 1)
  byEntries.set('b', 2)
  assert.equal(byEntries.get('a'), 1)
  assert.equal(byEntries.peek('b'), 2)
  byEntries.set('c', 3)
  assert.deepEqual(
    [...byEntries.values()].toSorted((one, other) => one - other),
    [1, 3],
  )

  const bySize = createBoundedCache<string>({ max: 10, sizeOf: ({ length }) => length })
  bySize.set('a', 'aaaa')
  bySize.set('b', 'bbbb')
  bySize.set('a', 'aaaaaaaa')
  assert.deepEqual([bySize.get('a'), bySize.get('b'), bySize.size()], ['aaaaaaaa', undefined, 8])
  bySize.set('large', 'x'.repeat(11))
  bySize.set('none', '')
  assert.deepEqual(bySize.values(), ['aaaaaaaa'])
})

void test('a value that has grown is measured again when it is set again', () => {
  const cache = createBoundedCache<number[]>({ max: 4, sizeOf: ({ length }) => length })
  const value = [1]
  cache.set('a', value)
  value.push(2, 3)
  cache.set('a', value)
  assert.equal(cache.size(), 3)
})

void test('a bound of 0 caches nothing', async () => {
  const cache = createBoundedCache<number>({ max: 0 })
  cache.set('a', 1)
  assert.deepEqual([cache.get('a'), cache.has('a'), cache.size()], [undefined, false, 0])
  assert.equal(await cache.find('a', async () => 2), 2)
})

void test('a value is computed once for all concurrent callers, and again after a failure', async () => {
  const cache = createBoundedCache<string>({ max: 10 })
  let made = 0
  const make = async (): Promise<string> => {
    made += 1
    if (made === 1) throw new Error('broken')
    return 'value'
  }
  await assert.rejects(cache.find('a', make), /broken/)
  const asked = [cache.find('a', make), cache.find('a', make)]
  assert.ok(cache.has('a'), 'it is being made')
  assert.deepEqual(await Promise.all([...asked, cache.find('a', make)]), ['value', 'value', 'value'])
  assert.equal(made, 2)
})

void test('a value is not found under a different mark', () => {
  const cache = createMarkedCache<string>({ max: 10 })
  cache.set('a', 1, 'first')
  assert.deepEqual([cache.get('a', 1), cache.get('a', 2)], ['first', undefined])
  cache.set('a', 2, 'second')
  assert.deepEqual([cache.get('a', 1), cache.get('a', 2)], [undefined, 'second'])
})

void test('a memoised function is called once for each of the most recent keys', () => {
  const called: string[] = []
  const upper = remembering(2, (key) => {
    called.push(key)
    return key.toUpperCase()
  })
  assert.deepEqual(['a', 'b', 'a', 'c', 'b'].map(upper), ['A', 'B', 'A', 'C', 'B'])
  assert.deepEqual(called, ['a', 'b', 'c', 'b'])
})
