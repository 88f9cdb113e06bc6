// Clipping: what is removed, where lines break, and what stays the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clipLines } from '../../../src/account-routes/zones/clip.ts'
import type { Clipped } from '../../../src/account-routes/zones/clip.ts'
import type { Circle } from '../../../src/account-routes/zones/zone-circle.ts'
import { atOnce } from '../../../src/shared/yielding.ts'
import { lineOf, positionsOf } from '../../../src/shared/geo/points.ts'
import { moved, placesOf } from './zone-cases.ts'
import type { Place } from './zone-cases.ts'

function clip(lines: readonly (readonly Place[])[], circles: readonly Circle[]): Clipped {
  return atOnce(clipLines(lines.map(lineOf), circles))
}

/** Number of points of each part. */
function counts(lines: readonly (readonly Place[])[], circles: readonly Circle[]): number[] {
  return placesOf(clip(lines, circles)).map(({ length }) => length)
}

const bern = { lat: 46.95, lon: 7.45, radiusMetres: 1_000 }
/** Points on the parallel through the circle's centre, by metres to the east. */
const along = (...metres: number[]): Place[] => metres.map((east) => moved(bern, 90, east))

void test('issue 5: without circles, or far from any, lines are the same points without times', () => {
  const positions = [
    { lat: 1, lon: 2, ele: 3, timeMs: 4 },
    { lat: 1.1, lon: 2.1, timeMs: 5 },
  ]
  for (const circles of [[], [bern]]) {
    const clipped = clip([positions, [], [{ lat: 5, lon: 6 }]], circles)
    assert.equal(clipped.isClipped, false)
    assert.deepEqual(placesOf(clipped), [
      [
        { lat: 1, lon: 2, ele: 3 },
        { lat: 1.1, lon: 2.1 },
      ],
      [],
      [{ lat: 5, lon: 6 }],
    ])
  }
})

void test('issue 5: points inside are removed and the line breaks there; a single point left over is dropped, unless it was single before', () => {
  const line = along(-3_000, -2_000, -500, 500, 2_000, 2_500, 3_000, 0, 4_000)
  const clipped = clip([line, along(0), along(100, 200), along(5_000), along(-5_000, 0, 5_000)], [bern])
  assert.equal(clipped.isClipped, true)
  assert.deepEqual(placesOf(clipped), [line.slice(0, 2), line.slice(4, 7), along(5_000)])
})

void test('issue 5: no hidden point remains in the columns of what is returned', () => {
  const { lines } = clip([along(-3_000, -2_000, 0, 2_000, 0, 2_000, 3_000)], [bern])
  const kept = lines.reduce((sum, line) => sum + [...positionsOf(line)].length, 0)
  assert.deepEqual(
    lines.map(({ points }) => points.count),
    [kept, kept],
  )
})

void test('issue 5: no point on or inside the circle on the ellipsoid remains, in any direction at any latitude, and none 2 % outside is removed', () => {
  for (const lat of [0, 30, 45, 60, 85, 89.95, 90, -45])
    for (const radiusMetres of [450, 18_000])
      for (let azimuth = 0; azimuth < 360; azimuth += 15) {
        const circle = { lat, lon: 179.99, radiusMetres }
        assert.deepEqual(counts([[moved(circle, azimuth, radiusMetres - 1e-6)]], [circle]), [])
        assert.deepEqual(counts([[moved(circle, azimuth, radiusMetres * 1.02)]], [circle]), [1])
      }
})

void test('issue 5: a line breaks if the segment between two points outside passes through a circle', () => {
  assert.deepEqual(counts([along(-3_000, -2_000, 2_000, 3_000)], [bern]), [2, 2])
  assert.deepEqual(counts([along(-3_000, 3_000)], [bern]), [])
  assert.equal(clip([along(-3_000, 3_000)], [bern]).isClipped, true)
  // Passes at 1,100 m, and at 990 m.
  const past = (north: number): Place[] =>
    along(-3_000, -2_000, 2_000, 3_000).map((at) => moved(at, 0, north))
  assert.deepEqual(counts([past(1_100)], [bern]), [4])
  assert.deepEqual(counts([past(990)], [bern]), [2, 2])
})

void test('issue 5: long segments are tested as a great circle, as a straight line in degrees, and as a straight line on the Mercator map', () => {
  const lines = [
    [
      { lat: 50, lon: -60 },
      { lat: 50, lon: -50 },
      { lat: 50, lon: 50 },
      { lat: 50, lon: 60 },
    ],
  ]
  const circleAt = (lat: number, lon: number): Circle => ({ lat, lon, radiusMetres: 5_000 })
  const peak = (Math.atan(Math.tan((50 * Math.PI) / 180) / Math.cos((50 * Math.PI) / 180)) * 180) / Math.PI
  assert.deepEqual(counts(lines, [circleAt(peak, 0)]), [2, 2])
  assert.deepEqual(counts(lines, [circleAt(50, 0)]), [2, 2])
  assert.deepEqual(counts(lines, [circleAt(56, 0)]), [4])
  const slope = [
    [
      { lat: 0, lon: 0 },
      { lat: 70, lon: 40 },
    ],
  ]
  const mercator = (Math.atan(Math.sinh(Math.asinh(Math.tan((70 * Math.PI) / 180)) / 2)) * 180) / Math.PI
  assert.deepEqual(counts(slope, [circleAt(mercator, 20)]), [])
  assert.deepEqual(counts(slope, [circleAt(35, 20)]), [])
  assert.deepEqual(counts(slope, [circleAt(30, 20)]), [2])
})

void test('issue 5: segments across the antimeridian, over a pole and to the other side of the globe', () => {
  const circle = { lat: 10, lon: -180, radiusMetres: 2_000 }
  const across = [
    { lat: 10, lon: 179 },
    { lat: 10, lon: -179 },
  ]
  assert.deepEqual(counts([across], [circle]), [])
  assert.deepEqual(counts([across], [{ ...circle, lon: 0 }]), [2])
  const pole = { lat: 90, lon: 0, radiusMetres: 2_000 }
  const over = [
    { lat: 89.9, lon: 0 },
    { lat: 89.9, lon: 179.9 },
  ]
  assert.deepEqual(counts([over], [pole]), [])
  const opposite = [
    { lat: 10, lon: 20 },
    { lat: -10, lon: -160 },
  ]
  assert.deepEqual(counts([opposite], [circle]), [])
})

void test('issue 5: only the circle is cut from a dense line beside it', () => {
  const ring = Array.from({ length: 2_000 }, (_, index) => moved(bern, index * 0.18, 1_030))
  assert.deepEqual(counts([ring], [bern]), [2_000])
})

void test('issue 5: many points and segments around the globe are clipped in short steps', () => {
  const world = Array.from({ length: 3_000 }, (_, index) => ({
    lat: index % 2 === 0 ? 89 : -89,
    lon: (index % 360) - 180,
  }))
  const circles = Array.from({ length: 20 }, (_, index) => ({
    lat: -40 + index * 4,
    lon: 10 * index,
    radiusMetres: 700,
  }))
  const steps = clipLines([lineOf(world)], circles)
  let count = 0
  while (steps.next().done !== true) count += 1
  assert.ok(count > 50, `${count} turns for others`)
})
