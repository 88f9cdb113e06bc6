// Which rows of a long page are near the window.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowsWithin } from '../../web/ui/rows-within.ts'

const tops = [0, 100, 250, 300, 500]

void test('every row with a visible pixel is included, and no other', () => {
  assert.deepEqual(rowsWithin(tops, 0, 99), { from: 0, to: 1 })
  assert.deepEqual(rowsWithin(tops, 100, 299), { from: 1, to: 3 })
  assert.deepEqual(rowsWithin(tops, 299, 500), { from: 2, to: 5 })
  assert.deepEqual(rowsWithin(tops, 4_000, 5_000), { from: 4, to: 5 }) // the last one may be of any height
  assert.deepEqual(rowsWithin(tops, -900, -1), { from: 0, to: 0 })
  assert.deepEqual(rowsWithin([], 0, 100), { from: 0, to: 0 })
})
