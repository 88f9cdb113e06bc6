// The profile of a line: all of a short one, the extremes of a long one, and nothing of points without a height.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { measureLine } from '../../../src/shared/geo/along.ts'
import { lineOf, type Position } from '../../../src/shared/geo/points.ts'
import { profileOf, type ProfilePoint } from '../../../src/shared/geo/profile.ts'

const max = 100

function profile(...parts: readonly (readonly Position[])[]): ProfilePoint[] {
  const lines = parts.map((part) => lineOf(part))
  return profileOf(lines, measureLine(lines).miles, max)
}

const along = (elevations: readonly (number | null)[], from = 0): Position[] =>
  elevations.map((ele, index) => ({ lat: 0, lon: from + index / 1e4, ...(ele === null ? {} : { ele }) }))

void test('a short line is shown unchanged, without the points that have no elevation', () => {
  const points = profile(along([5, null, 7.5, 6]))
  assert.deepEqual(
    points.map(({ elevation }) => elevation),
    [5, 7.5, 6],
  )
  assert.equal(points[0]?.miles, 0)
  assert.ok(Math.abs((points[1]?.miles ?? 0) - 2 * 0.00691707) < 1e-6)
  assert.deepEqual(profile(along([null, null])), [])
  assert.deepEqual(profile(), [])
})

void test('parts follow one another: the gap between them adds no length', () => {
  const points = profile(along([1, 2]), along([3, 4], 5))
  assert.deepEqual(
    points.map(({ elevation }) => elevation),
    [1, 2, 3, 4],
  )
  assert.equal(points[1]?.miles, points[2]?.miles)
})

void test('a long line keeps its highest, its lowest and both end points, in order, each once (property)', () => {
  const elevation = fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: -50, max: 3_000 }) },
    { weight: 1, arbitrary: fc.constant(null) },
  )
  fc.assert(
    fc.property(fc.array(elevation, { minLength: 2, maxLength: 900 }), (elevations) => {
      const known = elevations.filter((each) => each !== null)
      const points = profile(along(elevations))
      assert.ok(points.length <= max)
      assert.equal(points.length, Math.min(known.length, points.length))
      assert.equal(points[0]?.elevation, known[0])
      assert.equal(points.at(-1)?.elevation, known.at(-1))
      const shown = points.map((point) => point.elevation)
      assert.equal(Math.max(...shown), Math.max(...known))
      assert.equal(Math.min(...shown), Math.min(...known))
      for (const [index, point] of points.entries())
        assert.ok(index === 0 || point.miles > (points[index - 1]?.miles ?? 0))
      if (known.length <= max) assert.equal(points.length, known.length)
    }),
  )
})

void test('a long line is thinned evenly: no stretch of a fiftieth of it is left out, and no summit', () => {
  const elevations = Array.from({ length: 20_000 }, (_, index) => Math.round(300 * Math.sin(index / 900)))
  elevations[12_345] = 2_000
  const points = profile(along(elevations))
  assert.ok(points.length > max / 2 && points.length <= max)
  assert.ok(points.some((point) => point.elevation === 2_000))
  const whole = points.at(-1)?.miles ?? 0
  for (const [index, { miles }] of points.entries())
    assert.ok(index === 0 || miles - (points[index - 1]?.miles ?? 0) < whole / 24)
})
