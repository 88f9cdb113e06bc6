// The nearest place of a line, held against an independent search: anywhere on earth, long legs, gaps, ways there and back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { measureLine, nearestOnLine } from '../../../src/shared/geo/along.ts'
import { measureAtOnce } from '../../../src/shared/geo/measures.ts'
import { lineOf } from '../../../src/shared/geo/points.ts'
import { compare, type Place } from './projection.ts'

const around = (degrees: number): number => ((((degrees + 180) % 360) + 360) % 360) - 180

/** Steps of up to `degrees` north or east, the latter wider towards the poles. */
function walk(start: Place, steps: readonly (readonly [number, number])[], degrees: number): Place[] {
  const stretch = 1 / Math.max(0.02, Math.cos((start.lat / 180) * Math.PI))
  const places = [start]
  let { lat, lon } = start
  for (const [east, north] of steps) {
    lon += east * degrees * stretch
    lat = Math.max(-89.9, Math.min(89.9, lat + north * degrees))
    places.push({ lat, lon: around(lon) })
  }
  return places
}

const share = fc.double({ min: -1, max: 1, noNaN: true })
const step = fc.tuple(share, share)
const start = fc.record({
  lat: fc.double({ min: -89, max: 89, noNaN: true }),
  lon: fc.double({ min: -180, max: 180, noNaN: true }),
})

for (const [what, degrees] of [
  ['legs of some metres', 0.0005],
  ['legs of a kilometre', 0.01],
  ['legs of 100 km', 1],
] as const)
  void test(`within a metre of the independent search, over the antimeridian and near the poles too: ${what}`, () => {
    fc.assert(
      fc.property(
        start,
        fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 }),
        fc.array(step, { minLength: 1, maxLength: 3 }),
        (from, parts, offsets) => {
          const lines = parts.map((steps, index) =>
            walk({ lat: from.lat, lon: around(from.lon + index * degrees * 3) }, steps, degrees),
          )
          const points = offsets.flatMap((offset) => walk(from, [offset], degrees * 2).slice(1))
          compare(lines, points)
        },
      ),
      { numRuns: 60 },
    )
  })

void test('on a ferry line of 700 km the place is found on the geodesic, which bends away from the chord', () => {
  const ferry = [
    { lat: 55, lon: 10 },
    { lat: 60, lon: 18 },
  ]
  const points = [-0.2, 0, 0.3].flatMap((off) =>
    [0.1, 0.25, 0.4, 0.7, 0.9].map((share) => ({ lat: 55 + 5 * share + off, lon: 10 + 8 * share })),
  )
  assert.ok(compare([ferry], points) < 0.01)
})

void test('there and back on the same path: the first pass is used', () => {
  const there = Array.from({ length: 200 }, (_, index) => ({
    lat: 46 + index / 5_000,
    lon: 7 + Math.sin(index / 7) / 200,
  }))
  const line = measureLine([lineOf([...there, ...there.toReversed().slice(1)])])
  for (const [index, { lat, lon }] of there.entries()) {
    const nearest = nearestOnLine(line, { lat: lat + 2e-5, lon })
    assert.ok(nearest && nearest.miles <= line.lengthMiles / 2 + 1e-6, `point ${index}`)
  }
})

void test('the length equals that of C34 exactly, and the miles of the last point are the length', () => {
  const line = [
    lineOf([
      { lat: 1, lon: 2 },
      { lat: 1.3, lon: 2.2 },
    ]),
    lineOf([
      { lat: 3, lon: 3 },
      { lat: 3, lon: 4 },
    ]),
  ]
  const measured = measureLine(line)
  assert.equal(measured.lengthMiles, measureAtOnce(line).lengthMiles)
  assert.equal(measured.miles.at(-1), measured.lengthMiles)
})

void test('a distant place with nine decimals does not break the search', () => {
  const line = measureLine([
    lineOf([
      { lat: -10, lon: 20 },
      { lat: -10, lon: 21 },
    ]),
  ])
  const nearest = nearestOnLine(line, { lat: 60, lon: -150 })
  assert.ok(nearest && Number.isFinite(nearest.metres) && nearest.metres > 10_000_000)
})
