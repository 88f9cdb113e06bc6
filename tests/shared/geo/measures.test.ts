// Measures (C34): lengths that GeographicLib gives, boxes at the antimeridian. Climb is in climb.test.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linesOf } from '../../../src/shared/gpx/gpx-document.ts'
import { measure, measureAtOnce } from '../../../src/shared/geo/measures.ts'
import { lineOf } from '../../../src/shared/geo/points.ts'
import type { Position } from '../../../src/shared/geo/points.ts'
import { gpxOf, read } from '../gpx/gpx-helpers.ts'

const metresOfMile = 1609.344
const at = (lat: number, lon: number, ele?: number): Position =>
  ele === undefined ? { lat, lon } : { lat, lon, ele }
const metresOf = (...positions: Position[]): number =>
  measureAtOnce([lineOf(positions)]).lengthMiles * metresOfMile

/** The first is the example of GeodSolve, the others follow from the axes of WGS84. */
const lengths: readonly (readonly [metres: number, ...positions: Position[]])[] = [
  [5_551_759.4, at(40.6, -73.8), at(51.6, -0.5)],
  [(6_378_137 * Math.PI) / 180, at(0, 0), at(0, 1)],
  [10_001_965.729, at(0, 0), at(90, 0)],
  [20_003_931.4586, at(0, 0), at(0, 180)],
  [0, at(90, 0), at(90, 120)],
  [0, at(45, 180), at(45, -180)],
  [(6_378_137 * Math.PI * 0.2) / 180, at(0, 179.9), at(0, -179.9)],
  [(6_378_137 * Math.PI * 3) / 180, at(0, 0), at(0, 1, 4000), at(0, 0), at(0, 1)],
  [0, at(1, 1)],
  [0],
]

for (const [metres, ...positions] of lengths) {
  void test(`C34: ${metres} m over ${positions.map(({ lat, lon }) => `${lat},${lon}`).join(' ')}`, () => {
    assert.ok(Math.abs(metresOf(...positions) - metres) < 0.001, `${metresOf(...positions)}`)
  })
}

void test('C34: every rte and trkseg counts; gaps between them and waypoints do not', () => {
  const points = (name: string, ...lons: number[]): string =>
    lons.map((lon) => `<${name} lat="0" lon="${lon}"/>`).join('')
  const gpx = read(
    gpxOf(
      `${points('wpt', -50, 50)}<rte>${points('rtept', 10, 11)}</rte><rte/><trk><trkseg>${points('trkpt', 20, 21)}</trkseg><trkseg/><trkseg>${points('trkpt', 30, 32, 33)}</trkseg></trk><trk/>`,
    ),
  )
  const { lengthMiles, ...measures } = measureAtOnce(linesOf(gpx))
  assert.ok(Math.abs((lengthMiles * metresOfMile) / ((6_378_137 * Math.PI) / 180) - 5) < 1e-9)
  assert.deepEqual(measures, {
    climbMetres: undefined,
    descentMetres: undefined,
    box: { west: 10, south: 0, east: 33, north: 0 },
    pointCount: 7,
    start: at(0, 10),
    end: at(0, 33),
  })
})

void test('no points: length 0, no box, no start', () => {
  for (const lines of [[], [lineOf([])]]) {
    assert.deepEqual(measureAtOnce(lines), {
      lengthMiles: 0,
      climbMetres: undefined,
      descentMetres: undefined,
      box: undefined,
      pointCount: 0,
      start: undefined,
      end: undefined,
    })
  }
})

const boxes: readonly (readonly [name: string, box: readonly number[], ...lons: number[]])[] = [
  ['one point', [7, 7], 7],
  ['both sides of Greenwich', [-1, 2], 2, -1, 0],
  ['across the antimeridian', [179.9, -179.9], 179.9, -179.9],
  ['an island group there', [175.5, -178], 177, -178, 175.5],
  ['more than half of the globe', [-120, 120], -120, 0, 120],
  ['the western half', [-179, -1], -179, -1],
  ['on the antimeridian', [180, 180], 180],
]

for (const [name, [west, east], ...lons] of boxes) {
  void test(`box: ${name}`, () => {
    const { box } = measureAtOnce([lineOf(lons.map((lon, index) => at(index, lon)))])
    assert.deepEqual(box, { west, south: 0, east, north: lons.length - 1 })
  })
}

void test('measuring in steps gives the same result', async () => {
  const positions = Array.from({ length: 3000 }, (_, index) =>
    at(index / 100, index / 50, (index * 37) % 500),
  )
  const lines = [lineOf(positions), lineOf(positions.slice(0, 10))]
  assert.deepEqual(await measure(lines), measureAtOnce(lines))
})
