// Photos on the line of a trail: measured along, spread in order of time, and the place that is nearest to a tap.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { measureLine, nearestOnLine, pointAtMiles } from '../../../src/shared/geo/along.ts'
import { measureAtOnce } from '../../../src/shared/geo/measures.ts'
import { lineOf } from '../../../src/shared/geo/points.ts'
import { spreadAlongLine } from '../../../src/shared/placing/along-line.ts'
import { metresApart } from './placing-helpers.ts'

const bends = lineOf([
  { lat: 46, lon: 7 },
  { lat: 46.01, lon: 7 },
  { lat: 46.01, lon: 7 },
  { lat: 46.01, lon: 7.02 },
  { lat: 46.03, lon: 7.02 },
])
const beyond = lineOf([
  { lat: 46.1, lon: 7.1 },
  { lat: 46.11, lon: 7.1 },
])
const line = measureLine([bends, beyond])
const at = (minute: number) => ({ localTime: `2026-05-14T09:${String(minute).padStart(2, '0')}:00` })
const shares = (photos: readonly object[], from = 0, to = 1): string[] =>
  spreadAlongLine(photos, line, from, to).map(({ miles }) => miles.toFixed(6))

void describe('positions along a line', () => {
  void test('the length is that of C34: gaps between lines add nothing', () => {
    assert.ok(Math.abs(line.lengthMiles - measureAtOnce([bends, beyond]).lengthMiles) < 1e-12)
  })

  void test('positions are found by miles, and miles by position', () => {
    for (let share = 0; share <= 1; share += 1 / 64) {
      const place = pointAtMiles(line, share * line.lengthMiles)
      assert.ok(Math.abs(place.miles - share * line.lengthMiles) < 1e-9)
      const back = nearestOnLine(line, place)
      assert.ok(back !== undefined && back.metres < 0.001)
      assert.ok(Math.abs(back.miles - place.miles) < 1e-6, `${back.miles} for ${place.miles}`)
    }
  })

  void test('beyond either end the position is that end', () => {
    assert.deepEqual(pointAtMiles(line, -1), { lat: 46, lon: 7, miles: 0 })
    assert.deepEqual(pointAtMiles(line, 1_000), { lat: 46.11, lon: 7.1, miles: line.lengthMiles })
  })

  void test('the nearest position to a tap beside the line is directly across from it', () => {
    const tap = { lat: 46.005, lon: 7.004 }
    const nearest = nearestOnLine(line, tap)
    assert.ok(nearest)
    assert.ok(Math.abs(nearest.lat - 46.005) < 1e-7)
    assert.ok(Math.abs(nearest.lon - 7) < 1e-12)
    assert.ok(Math.abs(nearest.metres / metresApart(tap, nearest) - 1) < 0.01)
  })

  void test('a line over the antimeridian and a line of one point work', () => {
    const ferry = measureLine([
      lineOf([
        { lat: 0, lon: 179.9 },
        { lat: 0, lon: -179.9 },
      ]),
    ])
    assert.equal(pointAtMiles(ferry, ferry.lengthMiles * 0.75).lon.toFixed(6), '-179.950000')
    assert.equal(nearestOnLine(ferry, { lat: 0.01, lon: -179.95 })?.lon.toFixed(6), '-179.950000')
    const point = measureLine([lineOf([{ lat: 1, lon: 2 }])])
    assert.deepEqual(pointAtMiles(point, 3), { lat: 1, lon: 2, miles: 0 })
  })

  void test('a line without points gives no position', () => {
    const empty = measureLine([lineOf([])])
    assert.equal(nearestOnLine(empty, { lat: 0, lon: 0 }), undefined)
    assert.throws(() => pointAtMiles(empty, 0), RangeError)
  })
})

void describe('photos spread along a line', () => {
  void test('by time if every photo has one, in whatever order they come', () => {
    assert.deepEqual(shares([at(30), at(0), at(40), at(10)]), [
      '0.750000',
      '0.000000',
      '1.000000',
      '0.250000',
    ])
  })

  void test('towards the start if the start was tapped last', () => {
    assert.deepEqual(shares([at(0), at(10), at(40)], 1, 0.5), ['1.000000', '0.875000', '0.500000'])
  })

  void test('evenly if one has no time: it stays after the one that it follows', () => {
    assert.deepEqual(shares([at(30), {}, at(0), at(10), at(50)]), [
      '0.500000',
      '0.750000',
      '0.000000',
      '0.250000',
      '1.000000',
    ])
  })

  void test('evenly, in list order, if times do not distinguish them', () => {
    const evenly = ['0.000000', '0.500000', '1.000000']
    assert.deepEqual(shares([{}, {}, {}]), evenly)
    assert.deepEqual(shares([at(5), at(5), at(5)]), evenly)
  })

  void test('a single photo is placed halfway, and none gives none', () => {
    assert.deepEqual(shares([at(5)]), ['0.500000'])
    assert.deepEqual(shares([]), [])
  })

  void test('each has the line as the source of its position', () => {
    const [one] = spreadAlongLine([at(0), at(1)], line, 0.1, 0.2)
    assert.deepEqual(one, { ...pointAtMiles(line, 0.1), source: 'line' })
  })
})
