// The elevation profile of a trail's page as figures: its frame, its paths, the places of photos on it, and its ticks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  depthOf,
  dotAt,
  dotBeside,
  dotsOf,
  drawing,
  elevationAt,
  frameOf,
  pathsOf,
  shareOf,
  ticksBetween,
  type ProfileFrame,
} from '../../web/pages/gallery/trail/profile-shape.ts'

const points = [
  { miles: 0, elevation: 500 },
  { miles: 2, elevation: 900 },
  { miles: 4, elevation: 700 },
  { miles: 8, elevation: 700 },
]

function frame(): ProfileFrame {
  const found = frameOf(points, 8)
  assert.ok(found)
  return found
}

const photo = (imageID: number, milesAlong: number | null) => ({ imageID, milesAlong })

void test('the frame has room above and below, does not magnify the bumps of a flat trail, and is missing without a length', () => {
  assert.deepEqual(frame(), { lengthMiles: 8, from: 452, to: 948 })
  const flat = frameOf([{ miles: 0, elevation: 10 }, { miles: 3, elevation: 12 }], 3) // prettier-ignore
  assert.ok(flat && flat.to - flat.from > 60, 'two metres are no mountain')
  assert.equal(frameOf([], null), undefined)
  assert.equal(frameOf([], 0), undefined)
  assert.deepEqual(frameOf([], 5), { lengthMiles: 5, from: 0, to: 1 })
  assert.equal(frameOf([...points, { miles: 8.002, elevation: 700 }], 8)?.lengthMiles, 8.002)
})

void test('line and area pass through every point, from edge to edge', () => {
  const paths = pathsOf(points, frame())
  assert.equal(paths?.line, 'M0 90.32L250 9.68L500 50L1000 50')
  assert.equal(paths.area, `${paths.line}L1000 ${drawing.height}L0 ${drawing.height}Z`)
  assert.equal(pathsOf(points.slice(0, 1), frame()), undefined)
  assert.equal(pathsOf([], frame()), undefined)
})

void test('a thousand points are drawn, and every elevation between them is found', () => {
  const many = Array.from({ length: 1_000 }, (_, at) => ({
    miles: (at / 999) * 20,
    elevation: 1_000 + 300 * Math.sin(at / 50),
  }))
  const of = frameOf(many, 20)
  assert.ok(of)
  const paths = pathsOf(many, of)
  assert.equal(paths?.line.split('L').length, 1_000)
  assert.ok(paths.line.length < 16_000, `${paths.line.length} characters`)
  for (const at of [0, 1, 499, 998, 999]) {
    const { miles, elevation } = many[at] ?? { miles: NaN, elevation: NaN }
    assert.ok(Math.abs((elevationAt(many, miles) ?? NaN) - elevation) < 1e-9, String(at))
  }
  const [before, after] = [many[500], many[501]]
  assert.ok(before && after)
  const middle = elevationAt(many, (before.miles + after.miles) / 2) ?? NaN
  assert.ok(Math.abs(middle - (before.elevation + after.elevation) / 2) < 1e-9)
})

void test('elevations are found between points, before the first and after the last', () => {
  assert.deepEqual(
    [-1, 0, 1, 2, 3, 6, 8, 99].map((miles) => elevationAt(points, miles)),
    [500, 500, 700, 900, 800, 700, 700, 700],
  )
  assert.equal(elevationAt([], 3), undefined)
  const step = [{ miles: 1, elevation: 5 }, { miles: 1, elevation: 9 }] // prettier-ignore
  assert.ok(Number.isFinite(elevationAt(step, 1)))
})

void test('each photo is at its miles along the line and at the line’s elevation there; photos off the line are left out', () => {
  const dots = dotsOf([photo(3, 7.9), photo(1, 0), photo(9, null), photo(2, 3)], frame())
  assert.deepEqual(
    dots.map(({ photo: { imageID }, miles }) => [imageID, miles]),
    [
      [1, 0],
      [2, 3],
      [3, 7.9],
    ],
  )
  const shares = dots.map(({ miles }) => shareOf(miles, frame()))
  assert.deepEqual(shares, [0, 0.375, 0.9875])
  const depth = depthOf(elevationAt(points, 3) ?? NaN, frame())
  assert.ok(Math.abs(depth - (948 - 800) / 496) < 1e-12)
  assert.equal(shareOf(9, frame()), 1)
  assert.equal(depthOf(5_000, frame()), 0)
})

void test('photos whose dots would overlap share one dot, however many, and each is found by it', () => {
  const crowd = Array.from({ length: 5_000 }, (_, at) => photo(at + 1, (at / 4_999) * 8))
  const dots = dotsOf(crowd, frame())
  assert.ok(dots.length <= 84 && dots.length > 70, `${dots.length} dots`)
  assert.equal(
    dots.reduce((sum, { imageIds }) => sum + imageIds.length, 0),
    5_000,
  )
  for (const [at, dot] of dots.entries())
    if (at > 0) assert.ok(dot.miles - (dots[at - 1]?.miles ?? 0) >= 0.012 * 8 - 1e-9)
})

void test('the pointer selects the nearest dot, and keys move from dot to dot', () => {
  const dots = dotsOf([photo(1, 1), photo(2, 1.15), photo(3, 6)], frame())
  const at = (miles: number) => dotAt(dots, miles, frame())?.photo.imageID
  assert.deepEqual([0.95, 1.07, 1.08, 3, 6.05, 6.2].map(at), [1, 1, 2, undefined, 3, undefined])
  const beside = (miles: number, side: 'before' | 'after') => dotBeside(dots, miles, side)?.photo.imageID
  assert.deepEqual(
    [beside(0, 'after'), beside(1, 'after'), beside(6, 'after'), beside(6, 'before'), beside(1, 'before')],
    [1, 2, undefined, 2, undefined],
  )
})

void test('ticks are round numbers, no more than there is room for', () => {
  assert.deepEqual(ticksBetween(0, 8, 6), [0, 2, 4, 6, 8])
  assert.deepEqual(ticksBetween(0, 3.03, 6), [0, 1, 2, 3])
  assert.deepEqual(ticksBetween(452, 948, 4), [600, 800])
  assert.deepEqual(ticksBetween(0, 0.31, 6), [0, 0.1, 0.2, 0.3])
  assert.deepEqual(ticksBetween(0, 0, 6), [])
  for (const length of [0.01, 0.7, 1, 12, 99, 2_650, 40_000]) {
    const ticks = ticksBetween(0, length, 6)
    assert.ok(ticks.length >= 2 && ticks.length <= 7, `${length}: ${ticks.join()}`)
  }
})
