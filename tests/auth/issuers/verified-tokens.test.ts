// The cache of verified tokens: bounded, bound to the keys, and without the tokens themselves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVerifiedTokens } from '../../../src/auth/issuers/verified-tokens.ts'

void test('C29: a verified token is cached as long as the keys are the same', () => {
  const [keys, newer] = [{}, {}]
  const verified = createVerifiedTokens<object, string>()
  assert.equal(verified.find(keys, 'a'), undefined)
  verified.remember(keys, 'a', 'of a')
  assert.equal(verified.find(keys, 'a'), 'of a')
  assert.equal(verified.find(keys, 'b'), undefined)
  assert.equal(verified.find(newer, 'a'), undefined)
  verified.remember(newer, 'b', 'of b')
  assert.equal(verified.find(keys, 'a'), undefined, 'of the old keys nothing is left')
})

void test('C29: the oldest of a thousand is evicted', () => {
  const keys = {}
  const verified = createVerifiedTokens<object, number>()
  for (let count = 0; count < 1_001; count += 1) verified.remember(keys, String(count), count)
  assert.deepEqual(
    [verified.find(keys, '0'), verified.find(keys, '1'), verified.find(keys, '1000')],
    [undefined, 1, 1_000],
  )
})
