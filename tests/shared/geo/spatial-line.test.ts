// Metres from a place to the line of a trail, held against geodesics: within a percent, anywhere on earth.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import geographiclib from 'geographiclib-geodesic'
import { atOnce } from '../../../src/shared/yielding.ts'
import { linesOfGeometry } from '../../../src/shared/geo/geometry-lines.ts'
import { metresToLine, spatialLine } from '../../../src/shared/geo/spatial-line.ts'

const { WGS84 } = geographiclib.Geodesic

const metresTo = (geometry: object, lat: number, lon: number, enough = 0): number => {
  const line = atOnce(spatialLine(linesOfGeometry(geometry)))
  assert.ok(line)
  return metresToLine(line, { lat, lon }, enough)
}

/** By trying many places along the geodesic of each segment. */
function metresByTrial(line: readonly (readonly [number, number])[], lat: number, lon: number): number {
  let best = Number.POSITIVE_INFINITY
  for (const [index, [lon2, lat2]] of line.entries()) {
    const [lon1, lat1] = line[index - 1] ?? [lon2, lat2]
    const segment = WGS84.InverseLine(lat1, lon1, lat2, lon2)
    const length = WGS84.Inverse(lat1, lon1, lat2, lon2).s12 ?? 0
    const metresAt = (share: number): number => {
      const { lat2: atLat = 0, lon2: atLon = 0 } = segment.Position(length * share)
      return WGS84.Inverse(lat, lon, atLat, atLon).s12 ?? 0
    }
    let [from, to] = [0, 1]
    for (let step = 0; step < 60; step += 1) {
      const third = (to - from) / 3
      if (metresAt(from + third) < metresAt(to - third)) to -= third
      else from += third
    }
    best = Math.min(best, metresAt((from + to) / 2))
  }
  return best
}

void test('the distance is within one percent of the geodesic everywhere, across the antimeridian and near the poles too', () => {
  const step = fc.tuple(fc.integer({ min: -400, max: 400 }), fc.integer({ min: -400, max: 400 }))
  const start = fc.tuple(
    fc.integer({ min: -180_000, max: 180_000 }),
    fc.integer({ min: -89_000, max: 89_000 }),
  )
  fc.assert(
    fc.property(start, fc.array(step, { minLength: 1, maxLength: 4 }), step, ([lon, lat], steps, off) => {
      const around = (degrees: number): number => ((((degrees + 180) % 360) + 360) % 360) - 180
      // In thousandths of a degree; eastward steps are as long as northward ones.
      const stretch = 1 / Math.max(0.02, Math.cos((lat / 1e3 / 180) * Math.PI))
      const line: [number, number][] = [[around(lon / 1e3), lat / 1e3]]
      let [x, y] = [lon / 1e3, lat / 1e3]
      for (const [east, north] of steps) {
        x += (east / 1e4) * stretch
        y = Math.max(-89.9, Math.min(89.9, y + north / 1e4))
        line.push([around(x), y])
      }
      const [atLat, atLon] = [
        Math.max(-89.9, Math.min(89.9, y + off[1] / 1e3)),
        around(x + (off[0] / 1e3) * stretch),
      ]
      const expected = metresByTrial(line, atLat, atLon)
      const found = metresTo({ type: 'LineString', coordinates: line }, atLat, atLon)
      assert.ok(Math.abs(found - expected) <= expected * 0.01 + 1, `${found} instead of ${expected}`)
    }),
    { numRuns: 150 },
  )
})

void test('it is right far away too: from the Alps to a line in Oregon', () => {
  const line: [number, number][] = [
    [-122, 45],
    [-121, 45.2],
    [-120, 45],
  ]
  const found = metresTo({ type: 'LineString', coordinates: line }, 46.5, 8)
  const expected = metresByTrial(line, 46.5, 8)
  assert.ok(Math.abs(found - expected) < expected * 0.01, `${found} instead of ${expected}`)
})

void test('long lines: the nearest of many segments is found, whichever part it is in', () => {
  const long: [number, number][] = Array.from({ length: 5_000 }, (_none, index) => [
    index / 1e4,
    Math.sin(index / 50) / 100,
  ])
  const parts = {
    type: 'MultiLineString',
    coordinates: [long.slice(0, 1_700), long.slice(1_700, 1_701), long.slice(1_701)],
  }
  for (const [lat, lon] of [
    [0.02, 0.1],
    [-0.3, 0.44],
    [0.001, 0.17],
    [0, 0.6],
  ] as const) {
    const nearest = Math.min(...long.map(([x, y]) => WGS84.Inverse(lat, lon, y, x).s12 ?? 0))
    const found = metresTo(parts, lat, lon)
    assert.ok(found <= nearest * 1.01 && found > nearest - 12, `${found} instead of ${nearest}`)
  }
  const line = atOnce(spatialLine(linesOfGeometry(parts)))
  assert.ok(line && metresToLine(line, { lat: 0, lon: 0.25 }, 5_000) < 5_000)
})

void test('an invalid line gives nothing', () => {
  for (const geometry of [
    null,
    7,
    {},
    { type: 'Point', coordinates: [1, 2] },
    { type: 'LineString', coordinates: [] },
    { type: 'MultiLineString', coordinates: [[['a', 'b']], 'x'] },
    { type: 'LineString' },
  ])
    assert.equal(atOnce(spatialLine(linesOfGeometry(geometry))), undefined)
})
