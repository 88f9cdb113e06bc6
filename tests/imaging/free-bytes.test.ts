// Memory is freed if nothing else shares its buffer, and only then.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeBytes } from '../../src/imaging/free-bytes.ts'

void test('bytes that have their memory to themselves are freed, also when they were before', () => {
  for (const bytes of [new Uint8Array(100), new Int32Array(25), Buffer.allocUnsafeSlow(100)]) {
    freeBytes(bytes)
    freeBytes(bytes)
    assert.equal(bytes.length, 0)
  }
})

void test('bytes that share their memory stay', () => {
  const whole = Uint8Array.of(1, 2, 3)
  freeBytes(whole.subarray(1))
  assert.deepEqual([...whole], [1, 2, 3])
  const pooled = Buffer.from('a few')
  freeBytes(pooled)
  assert.equal(pooled.toString(), 'a few')
})
