// The arithmetic of the route editor: chunks, simplifying, what is drawn, the profile. No browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { measureAtOnce } from '../../src/shared/geo/measures.ts'
import { lineOf } from '../../src/shared/geo/points.ts'
import { chunkOf, chunked, countOf, flattened, spliced } from '../../web/route-editor/columns.ts'
import { drawnLines, nearestOnLine, nearestPoint, viewOf } from '../../web/route-editor/drawing.ts'
import { profileOf } from '../../web/route-editor/profile.ts'
import { createRouteMeter } from '../../web/route-editor/route-meter.ts'
import {
  countKept,
  keptAt,
  metresFromLine,
  toleranceFor,
  weighPoints,
} from '../../web/route-editor/simplify.ts'
import { routeOf, walk } from '../helpers/editor-routes.ts'

test('splicing chunks equals splicing an array, whatever the sizes', () => {
  fc.assert(
    fc.property(
      fc.nat(1_400),
      fc.array(fc.tuple(fc.nat(1_500), fc.nat(700), fc.nat(3)), { maxLength: 6 }),
      (count, cuts) => {
        const expected = walk(count)
        let chunks = chunked(chunkOf(expected))
        for (const [from, removed, added] of cuts) {
          const at = Math.min(from, expected.length)
          const taken = Math.min(removed, expected.length - at)
          const inserted = walk(added)
          expected.splice(at, taken, ...inserted)
          chunks = spliced(chunks, at, taken, inserted)
        }
        assert.equal(countOf(chunks), expected.length)
        assert.deepEqual(
          [...flattened(chunks).lats],
          expected.map(({ lat }) => lat),
        )
        assert.ok(chunks.every(({ count: size }) => size > 0))
      },
    ),
    { numRuns: 60 },
  )
})

test('simplifying leaves no point farther from the line than the tolerance, and keeps the ends', () => {
  const near = fc.record({
    lat: fc.double({ min: 45.9, max: 46.1, noNaN: true }),
    lon: fc.double({ min: 6.9, max: 7.1, noNaN: true }),
  })
  fc.assert(
    fc.property(
      fc.array(near, { minLength: 1, maxLength: 120 }),
      fc.double({ min: 0.1, max: 20_000, noNaN: true }),
      (line, tolerance) => {
        const kept = keptAt(weighPoints(chunkOf(line)), tolerance)
        const left = [...kept.keys()].filter((index) => kept[index] === 1)
        assert.equal(left[0], 0)
        assert.equal(left.at(-1), line.length - 1)
        for (const [index, { lat, lon }] of line.entries()) {
          const next = left.findIndex((other) => other >= index)
          const [one, other] = [line[left[Math.max(0, next - 1)] ?? 0], line[left[next] ?? 0]]
          assert.ok(one && other)
          const metres = metresFromLine([lat, lon], [one.lat, one.lon], [other.lat, other.lon])
          assert.ok(metres <= tolerance, `${metres} > ${tolerance}`)
        }
      },
    ),
  )
  const weights = [weighPoints(chunkOf(walk(5_000)))]
  assert.ok(countKept(weights, 10) < countKept(weights, 1))
  assert.ok(countKept(weights, toleranceFor(weights, 300)) <= 300)
})

test('the distance from a line is that on the ellipsoid, to one percent', () => {
  // A point 1 km north of a line along a parallel, and beyond its end.
  const north =
    measureAtOnce([
      lineOf([
        { lat: 46, lon: 7 },
        { lat: 46.009, lon: 7 },
      ]),
    ]).lengthMiles * 1609.344
  const metres = metresFromLine([46.009, 7], [46, 6.99], [46, 7.01])
  assert.ok(Math.abs(metres - north) < north / 100)
  const beyond =
    measureAtOnce([
      lineOf([
        { lat: 46, lon: 7.01 },
        { lat: 46, lon: 7.03 },
      ]),
    ]).lengthMiles * 1609.344
  assert.ok(Math.abs(metresFromLine([46, 7.03], [46, 6.99], [46, 7.01]) - beyond) < beyond / 100)
  assert.ok(metresFromLine([0, 179.999], [0, -179.999], [0, -179.998]) < 300)
})

test('a spiral as deep as it is long is weighed without recursion', () => {
  const spiral = Array.from({ length: 20_000 }, (_, at) => ({ lat: at * 1e-9, lon: (at * at) / 4e8 }))
  assert.equal(weighPoints(chunkOf(spiral)).length, 20_000)
})
test('drawing: far fewer points, no jump at the antimeridian, and nearby points are found', () => {
  const state = routeOf(walk(20_000))
  const view = viewOf(state.segments)
  assert.ok(view)
  const [line = []] = drawnLines(state.segments, view, 8)
  assert.ok(line.length > 10 && line.length < 2_000, String(line.length))
  const across = routeOf([
    { lat: 0, lon: 179.9 },
    { lat: 0, lon: -179.9 },
  ])
  assert.deepEqual(drawnLines(across.segments, [0, -1, 360, 1], 10), [
    [
      [179.9, 0],
      [180.1, 0],
    ],
  ])
  const place = { lat: 0, lon: 180.04, zoom: 12 }
  assert.deepEqual(nearestPoint(across, place)?.ref, { segment: 0, index: 1 })
  const on = nearestOnLine(across, { ...place, lat: 0.0001 })
  assert.ok(on && on.pixels < 5 && Math.abs(on.lon - 180.04) < 1e-9 && Math.abs(on.lat) < 1e-12)
})

test('the profile keeps summits and distances, and has gaps where lines end', () => {
  const meter = createRouteMeter()
  const state = routeOf(walk(5_000), walk(100))
  const profile = profileOf(state.segments, meter, 300)
  assert.ok(profile && profile.miles.length < 1_500)
  assert.ok(Math.abs(profile.highest - 1_200) < 0.1)
  assert.equal(profile.eles.filter((ele) => ele === null).length, 1)
  const end = profile.miles.at(-1) ?? 0
  const whole = meter.measure(state.segments).lengthMiles
  assert.ok(Math.abs(end - whole) < whole / 100)
  assert.ok(profile.miles.every((mile, at) => mile >= (profile.miles[at - 1] ?? 0) - 1e-9))
  assert.equal(
    profileOf(
      routeOf([
        { lat: 0, lon: 0 },
        { lat: 1, lon: 1 },
      ]).segments,
      meter,
    ),
    undefined,
  )
})
