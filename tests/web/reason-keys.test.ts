// The keys of review reasons: one each, and none that moves because a reason was added.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { keysOfReasons } from '../../web/data/reason-keys.ts'

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `reason-${index + 1}`)

void test('adding a reason does not change the key of any other, least of all that of "other"', () => {
  for (let count = 0; count < 25; count += 1) {
    const before = keysOfReasons([...numbered(count), 'other'])
    const after = keysOfReasons([...numbered(count + 1), 'other'])
    assert.deepEqual(after.slice(0, count), before.slice(0, count))
    assert.equal(before.at(-1), '0')
  }
})

void test('"other" does not take a number from the rest, wherever it is', () => {
  assert.deepEqual(keysOfReasons(['one', 'other', 'two']), ['1', '0', '2'])
})

void test('from the tenth on reasons have letters, no two share a key, and in the end no key is left', () => {
  const keys = keysOfReasons([...numbered(20), 'other'])
  assert.deepEqual(keys.slice(8, 11), ['9', 'b', 'f'])
  assert.equal(keys[19], undefined)
  const given = keys.filter((key) => key !== undefined)
  assert.equal(new Set(given).size, given.length)
})

void test('no letter is a shortcut of the review page, or one that decides without a reason', async () => {
  const desk = new URL('../../web/pages/review/desk/use-desk-keys.ts', import.meta.url)
  const taken = (await readFile(desk, 'utf8')).matchAll(/\b(?:key|step)\('(\w)'/g).map(([, key]) => key)
  const keys = new Set<string | undefined>(taken)
  assert.ok(keys.has('a') && keys.has('r') && keys.has('x') && keys.size > 10, [...keys].join(' '))
  assert.deepEqual(
    keysOfReasons(numbered(19)).filter((key) => keys.has(key)),
    [],
  )
})
