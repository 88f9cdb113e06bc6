// Memory is freed if nothing else shares its buffer, and only then.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeBytes } from '../../src/imaging/free-bytes.ts'

void test('bytes with a buffer of their own are freed, and freeing them twice is harmless', () => {
  for (const bytes of [new Uint8Array(100), new Int32Array(25), Buffer.allocUnsafeSlow(100)]) {
    freeBytes(bytes)
    freeBytes(bytes)
    assert.equal(bytes.length, 0)
  }
})

void test('bytes in a shared buffer are not freed', () => {
  const whole = Uint8Array.of(1, 2, 3)
  freeBytes(whole.subarray(1))
  assert.deepEqual([...whole], [1, 2, 3])
  const pooled = Buffer.from('a few')
  freeBytes(pooled)
  assert.equal(pooled.toString(), 'a few')
})
