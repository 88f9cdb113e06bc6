// The line of a trail and the box around it, as the map takes them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boxOf, cornersOf, linesOf, partsOf } from '../../web/map/trail-lines.ts'

const part = [
  [7, 46],
  [7.1, 46.2],
]

void test('a line has the same parts for either geometry type, and none if there is no line', () => {
  assert.deepEqual(partsOf({ type: 'LineString', coordinates: part }), [part])
  assert.deepEqual(partsOf({ type: 'MultiLineString', coordinates: [part, part] }), [part, part])
  assert.deepEqual(partsOf(null), [])
  assert.deepEqual(linesOf({ trailID: 1, geometry: null }), [])
})

void test('a box is returned with its corners; a trail without a line has neither', () => {
  assert.deepEqual(boxOf({ bbox: [7, 46, 7.1, 46.2] }), [7, 46, 7.1, 46.2])
  assert.deepEqual(cornersOf({ bbox: [7, 46, 7.1, 46.2] }), [
    [7, 46],
    [7.1, 46.2],
  ])
  assert.equal(boxOf({ bbox: null }), undefined)
  assert.deepEqual(cornersOf({ bbox: null }), [])
})
