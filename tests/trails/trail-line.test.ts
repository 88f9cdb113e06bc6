// Accepted GeoJSON for a trail's line, how it is stored, and its box and length.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTrailLine } from '../../src/trails/trail-line.ts'
import { lineOf } from './trail-client.ts'

async function taken(...geometries: unknown[]) {
  const reading = await readTrailLine(geometries)
  assert.ok(reading.ok, JSON.stringify(reading))
  return { ...reading.line, geometry: JSON.parse(reading.line.text) as unknown }
}

void test('a line is stored with seven decimals, its elevations with one, and nothing else', async () => {
  const sent = {
    ...lineOf([7.12345678, 46, 812.46, 99], [7.2, 46.1], [7.2, 46.1, 900]),
    bbox: [7, 46, 8, 47],
    crs: 'x',
  }
  const { geometry, box, miles, heights } = await taken(sent)
  assert.deepEqual(geometry, lineOf([7.1234568, 46, 812.5], [7.2, 46.1], [7.2, 46.1, 900]))
  assert.deepEqual(heights, { highest: 900, lowest: 812.5, ascent: 87.5, descent: 0 })
  assert.deepEqual(box, { west: 7.1234568, south: 46, east: 7.2, north: 46.1 })
  assert.ok(Math.abs(miles - 7.826) < 0.001, String(miles))
})

void test('an invalid elevation leaves a position of two numbers, and a single elevation has no ascent or descent', async () => {
  const odd = lineOf([7, 46, 'x' as never], [7.1, 46, null as never], [7.2, 46, 1e9], [7.3, 46, -3.04])
  const { geometry, heights } = await taken(odd)
  assert.deepEqual(geometry, lineOf([7, 46], [7.1, 46], [7.2, 46], [7.3, 46, -3]))
  assert.deepEqual(heights, { highest: -3, lowest: -3, ascent: null, descent: null })
  assert.equal((await taken(lineOf([7, 46], [7.1, 46]))).heights, undefined)
})

void test('a line that is too long only because of its elevations is refused with that reason', async () => {
  const long = longNumbers(36_000)
  const high = long.map(([lon = 0, lat = 0]) => [lon, lat, 1234.5])
  assert.ok((await readTrailLine([lineOf(...long)])).ok)
  assert.deepEqual(await readTrailLine([lineOf(...high)]), {
    ok: false,
    detail: 'geometry may be at most 1,048,576 bytes, which it exceeds with its elevations.',
  })
})

void test('several geometries make one line of several parts; gaps add nothing', async () => {
  const one = lineOf([0, 0], [0, 1])
  const other = {
    type: 'MultiLineString',
    coordinates: [
      [
        [10, 0],
        [10, 1],
      ],
    ],
  }
  const { geometry, box, miles } = await taken(one, other)
  const lines = [one.coordinates, ...other.coordinates]
  assert.deepEqual(geometry, { type: 'MultiLineString', coordinates: lines })
  assert.deepEqual(box, { west: 0, south: 0, east: 10, north: 1 })
  assert.ok(Math.abs(miles - (2 * 110_574.4) / 1609.344) < 0.01, String(miles))
  const single = await taken({ type: 'MultiLineString', coordinates: [one.coordinates] })
  assert.deepEqual(single.geometry, one)
})

void test('a box across the antimeridian has its west greater than its east', async () => {
  const { box, miles } = await taken(lineOf([179.9, -17], [-179.9, -17.1]))
  assert.deepEqual(box, { west: 179.9, south: -17.1, east: -179.9, north: -17 })
  assert.ok(miles < 20, String(miles))
})

const points = (count: number): number[][] => Array.from({ length: count }, (_, at) => [at / 1_000, 45])
const longNumbers = (count: number): number[][] =>
  Array.from({ length: count }, (_, at) => [-123.1234567 + at / 1e7, -45.1234567])

const wrong: readonly [string, unknown, RegExp][] = [
  ['text', 'LINESTRING (0 0, 1 1)', /LineString or MultiLineString/],
  ['a point', { type: 'Point', coordinates: [0, 0] }, /LineString or MultiLineString/],
  ['a feature', { type: 'Feature', geometry: lineOf([0, 0], [1, 1]) }, /LineString or MultiLineString/],
  ['no coordinates', { type: 'LineString' }, /at least two points in line 1/],
  ['one point', lineOf([0, 0]), /at least two points in line 1/],
  ['no line', { type: 'MultiLineString', coordinates: [] }, /contain a line/],
  [
    'a short second line',
    { type: 'MultiLineString', coordinates: [points(2), points(1)] },
    /at least two points in line 2/,
  ],
  ['a latitude over 90', lineOf([0, 0], [0, 90.1]), /within ±90 in point 2 of line 1/],
  ['a longitude over 180', lineOf([180.5, 0], [0, 0]), /within ±180 .* point 1 of line 1/],
  [
    'text in a point',
    {
      type: 'LineString',
      coordinates: [
        ['0', '0'],
        [1, 1],
      ],
    },
    /point 1 of line 1/,
  ],
  [
    'no number',
    {
      type: 'LineString',
      coordinates: [
        [0, 0],
        [0, null],
      ],
    },
    /point 2 of line 1/,
  ],
  ['infinity', lineOf([0, 0], [0, Infinity]), /point 2 of line 1/],
  ['NaN', lineOf([0, 0], [Number.NaN, 0]), /point 2 of line 1/],
  ['a number for a point', { type: 'LineString', coordinates: [0, 1] }, /point 1 of line 1/],
  ['too many points', lineOf(...points(50_001)), /at most 50,000 points/],
  ['too long', lineOf(...longNumbers(45_000)), /at most 1,048,576 bytes/],
]

for (const [name, geometry, sentence] of wrong) {
  void test(`refused: ${name}`, async () => {
    const reading = await readTrailLine([geometry])
    assert.ok(!reading.ok)
    assert.match(reading.detail, sentence)
    assert.match(reading.detail, /^geometry [^\n]+\.$/)
  })
}

void test('50,000 points in a short text are accepted', async () => {
  const { geometry } = await taken(lineOf(...points(50_000)))
  assert.equal((geometry as { coordinates: unknown[] }).coordinates.length, 50_000)
})
