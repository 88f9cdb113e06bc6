// Rate limit windows: a number of requests from the first on, separately per bucket, and nothing is stored for longer
// (C38).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressBucket } from '../../../src/http/rates/rate-limits.ts'
import { createRateWindows } from '../../../src/http/rates/rate-windows.ts'

void test('C38: a window allows its number, says what is left, and ends by itself', (t) => {
  let now = 1_000
  t.mock.method(performance, 'now', () => now)
  const windows = createRateWindows(3, 60)
  const counted = () => {
    const { isWithin, left, secondsLeft } = windows.count('a')
    return [isWithin, left, secondsLeft]
  }
  assert.deepEqual(counted(), [true, 2, 60])
  now += 30_500
  assert.deepEqual(counted(), [true, 1, 30])
  assert.deepEqual(windows.count('b'), { isWithin: true, left: 2, secondsLeft: 60 })
  assert.deepEqual(counted(), [true, 0, 30])
  assert.deepEqual(counted(), [false, 0, 30])
  now += 29_499
  assert.deepEqual(counted(), [false, 0, 1])
  now += 1
  assert.deepEqual(counted(), [true, 2, 60])
})

void test('C38: what is given back was not counted', () => {
  const windows = createRateWindows(2, 60)
  for (let time = 0; time < 5; time += 1) {
    assert.equal(windows.count('a').left, 1)
    windows.takeBack('a')
  }
})

void test('C38: buckets whose window has ended are deleted as new ones are added', (t) => {
  let now = 1_000
  t.mock.method(performance, 'now', () => now)
  const windows = createRateWindows(3, 60)
  for (let bucket = 0; bucket < 100; bucket += 1) windows.count(String(bucket))
  now += 30_000
  windows.count('late')
  now += 30_000
  windows.count('new')
  assert.equal(windows.size(), 2)
})

void test('C38: a closed connection has no address, and is still counted', () => {
  assert.equal(addressBucket(undefined), '')
  assert.equal(addressBucket('192.0.2.1'), '192.0.2.1')
})
