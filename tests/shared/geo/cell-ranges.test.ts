// The ranges of cells by which photos in a box are found: whatever is in the box is in one of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { cellOf, cellRangesOf } from '../../../src/shared/geo/cells.ts'

const longitude = fc.double({ min: -180, max: 180, noNaN: true })
const latitude = fc.double({ min: -90, max: 90, noNaN: true })
const share = fc.double({ min: 0, max: 1, noNaN: true })
const between = (from: number, to: number, part: number): number =>
  Math.min(to, Math.max(from, from + (to - from) * part))

const boxes = fc.tuple(longitude, longitude, latitude, latitude).map(([west, east, one, other]) => ({
  west,
  east,
  south: Math.min(one, other),
  north: Math.max(one, other),
}))

void test('Part D, bbox: every place in a box is in its cells, across the antimeridian too', () => {
  fc.assert(
    fc.property(boxes, share, share, fc.integer({ min: 4, max: 40 }), (box, across, up, max) => {
      const ranges = cellRangesOf(box, max)
      assert.ok(ranges.length <= max)
      for (const [index, { first, last }] of ranges.entries())
        assert.ok(
          first <= last && first > (ranges[index - 1]?.last ?? -1),
          'in order, and none meets another',
        )
      const { west, east, south, north } = box
      const sides =
        west <= east
          ? [between(west, east, across)]
          : [between(west, 180, across), between(-180, east, across)]
      for (const place of sides) {
        const cell = cellOf(between(south, north, up), place)
        assert.ok(ranges.some(({ first, last }) => cell >= first && cell <= last))
      }
    }),
    { numRuns: 500 },
  )
})

void test('Part D, bbox: the cells of a small box cover little more than the box', () => {
  for (const box of [
    { west: 7, south: 46, east: 7.05, north: 46.05 },
    { west: -0.02, south: -0.02, east: 0.02, north: 0.02 }, // across the middle of the map, where all ranges part
  ]) {
    const held = cellRangesOf(box, 16).reduce((sum, { first, last }) => sum + last - first + 1, 0)
    const width = ((box.east - box.west) / 360) * 2 ** 24
    const height = (width * 1) / Math.cos((box.north * Math.PI) / 180)
    assert.ok(held >= width * height * 0.99)
    assert.ok(held <= width * height * 4, `${held / (width * height)} times the box`)
  }
})
