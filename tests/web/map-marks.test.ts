// What is computed for the map without a browser: marks of distance, steps of contour lines, whose data a file is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureLine, pointAtMiles } from '../../src/shared/geo/along.ts'
import { metresBetween } from '../../src/shared/geo/measures.ts'
import { createPoints } from '../../src/shared/geo/points.ts'
import { attributionOf } from '../../web/map/attribution-text.ts'
import { distanceMarks } from '../../web/map/distance-marks.ts'
import type { MapLine, Position } from '../../web/map/kinds.ts'
import { contourSteps, perMetre } from '../../web/map/relief/contour-steps.ts'

const walk: readonly Position[] = Array.from({ length: 2_000 }, (_, at): Position => [
  7 + at * 1.4e-4,
  46 + Math.sin(at / 90) * 0.05,
])

const lineOf = (...coordinates: readonly (readonly Position[])[]): MapLine => ({
  id: 'trail 1',
  tone: 'trail',
  coordinates,
})

void test('distance marks are where the geodesic reaches each mile, within a metre', () => {
  const points = createPoints()
  for (const [lon, lat] of walk) points.add(lat, lon)
  const measured = measureLine([{ points, first: 0, end: points.count }])
  const { features } = distanceMarks([lineOf(walk)], 'miles')
  assert.equal(features.length, Math.floor(measured.lengthMiles))
  assert.ok(features.length > 20)
  for (const [at, { geometry, properties }] of features.entries()) {
    const expected = pointAtMiles(measured, at + 1)
    const both = createPoints()
    both.add(expected.lat, expected.lon)
    both.add(geometry.coordinates[1] ?? NaN, geometry.coordinates[0] ?? NaN)
    const metres = metresBetween(both, 0, 1)
    assert.ok(metres < 1, `mile ${at + 1}: ${metres} m`)
    assert.equal(properties?.['text'], `${at + 1} mi`)
  }
  const weights = features.map(({ properties }) => properties?.['weight'] as number)
  assert.deepEqual(weights.slice(0, 10), [1, 1, 1, 1, 5, 1, 1, 1, 1, 10])
})

void test('marks continue after a gap, which adds no distance, and only trails and routes have them', () => {
  const [half, rest] = [walk.slice(0, 1_000), walk.slice(1_000)]
  const whole = distanceMarks([lineOf(walk)], 'kilometres').features.length
  const parts = distanceMarks([lineOf(half, rest)], 'kilometres').features
  assert.ok(whole - parts.length <= 1)
  assert.equal(parts.at(-1)?.properties?.['text'], `${parts.length} km`)
  assert.equal(distanceMarks([{ ...lineOf(walk), tone: 'draft' }], 'kilometres').features.length, 0)
  assert.equal(distanceMarks([lineOf([])], 'kilometres').features.length, 0)
})

void test('contour lines get closer with zoom, and every fifth is a bold one', () => {
  for (const units of ['kilometres', 'miles'] as const) {
    const steps = [9, 10, 11, 12, 13, 14, 15, 18].map((zoom) => contourSteps(units, zoom))
    assert.deepEqual(
      steps.toSorted(([one], [other]) => other - one),
      steps,
    )
    for (const [apart, strong] of steps) assert.equal(strong, 5 * apart)
  }
  assert.equal(Math.round(1_000 * perMetre.miles), 3_281)
})

void test('OpenStreetMap is always credited with a link, whatever attribution a file has', () => {
  const link = 'href="https://www.openstreetmap.org/copyright"'
  for (const [said, words] of [
    [undefined, ''],
    ['', ''],
    ['© OpenStreetMap contributors', ''],
    ['Protomaps &copy; OpenStreetMap', 'Protomaps'],
    ['Somebody', 'Somebody'],
    [42, ''],
  ] as const) {
    const text = attributionOf({ attribution: said })
    assert.ok(text.includes(link), text)
    assert.ok(text.includes(words))
    assert.equal(text.match(/OpenStreetMap/g)?.length, 1, text)
  }
  const own = '<a href="https://example.org">Protomaps</a> <a href="https://osm.org">© OpenStreetMap</a>'
  assert.equal(attributionOf({ attribution: own }), own)
  assert.ok(attributionOf(null).includes(link))
})
