// What maps draw and the boxes they know: the antimeridian, the poles, the graticule and boxes in addresses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBox, writeBox } from '../../web/map/box-text.ts'
import {
  boundsOf,
  circleFeatures,
  degreesText,
  graticule,
  gridStep,
  rolled,
  roomy,
  unrolled,
} from '../../web/map/geometry.ts'
import { unroll } from '../../web/map/unroll.ts'

test('the box around positions crosses the antimeridian if that is shorter', () => {
  assert.deepEqual(
    boundsOf([
      [7, 46],
      [8, 47],
      [6, 45],
    ]),
    [6, 45, 8, 47],
  )
  assert.deepEqual(
    boundsOf([
      [179, -17],
      [-179, -16],
      [178, -18],
    ]),
    [178, -18, -179, -16],
  )
  assert.deepEqual(boundsOf([[7, 46]]), [7, 46, 7, 46])
  assert.equal(boundsOf([]), undefined)
})

test('boxes are unrolled for the map and rolled back for the API', () => {
  assert.deepEqual(unrolled([178, -18, -179, -16]), [178, -18, 181, -16])
  assert.deepEqual(rolled([178, -18, 181, -16]), [178, -18, -179, -16])
  assert.deepEqual(rolled([-200, -95, 200, 95]), [-180, -90, 180, 90])
})

test('a box around a single place is widened, so that a map can move to it', () => {
  const [west, south, east, north] = roomy([7, 46, 7, 46])
  assert.ok(east - west > 0.003 && north - south > 0.003)
})

test('about five lines of the graticule cross the map at any scale', () => {
  for (const span of [360, 40, 7, 1, 0.09, 0.004]) {
    const step = gridStep([0, 0, span, span / 2])
    assert.ok(span / step >= 5 && span / step <= 16, `${span}° by ${step}°`)
  }
  const { features } = graticule([5.2, 45.1, 9.9, 48])
  assert.deepEqual(
    features.map(({ properties }) => String(properties?.['label'])),
    [
      '5.5° E',
      '6° E',
      '6.5° E',
      '7° E',
      '7.5° E',
      '8° E',
      '8.5° E',
      '9° E',
      '9.5° E',
      '45.5° N',
      '46° N',
      '46.5° N',
      '47° N',
      '47.5° N',
      '48° N',
    ],
  )
})

test('degrees are labelled by hemisphere, beyond 180 too', () => {
  assert.equal(degreesText(-7.1, 0.1, ['E', 'W']), '7.1° W')
  assert.equal(degreesText(181, 1, ['E', 'W']), '179° W')
  assert.equal(degreesText(0, 1, ['N', 'S']), '0°')
  assert.equal(degreesText(-180, 45, ['E', 'W']), '180°')
})

test('a circle is as wide on the ground as its radius says', () => {
  const [circle] = circleFeatures([{ id: 'home', lon: 7, lat: 60, radiusMetres: 1_000 }]).features
  const ring = circle?.geometry.coordinates[0] ?? []
  const east = Math.max(...ring.map(([lon = 0]) => lon))
  assert.ok(Math.abs((east - 7) * 111_195 * Math.cos((60 * Math.PI) / 180) - 1_000) < 1)
  assert.deepEqual(ring[0], ring.at(-1))
})

test('an outline across the antimeridian continues beyond 180, and one around a pole is closed there', () => {
  const over = unroll({
    type: 'LineString',
    coordinates: [
      [179, 1],
      [-179, 2],
      [-178, 3],
      [178, 4],
    ],
  })
  assert.deepEqual(over, {
    type: 'LineString',
    coordinates: [
      [179, 1],
      [181, 2],
      [182, 3],
      [178, 4],
    ],
  })
  const around = unroll({
    type: 'Polygon',
    coordinates: [
      [
        [-170, -70],
        [-60, -75],
        [60, -70],
        [170, -72],
        [-170, -70],
      ],
    ],
  })
  assert.ok(around.type === 'Polygon')
  assert.deepEqual(around.coordinates[0]?.slice(-4), [
    [190, -70],
    [190, -90],
    [-170, -90],
    [-170, -70],
  ])
})

test('boxes in addresses are read as they are written, and invalid ones are ignored', () => {
  assert.equal(writeBox([7.123456, 46, -179.99999, 47.5]), '7.1235,46,-180,47.5')
  assert.deepEqual(readBox('7.1235,46,8,47.5'), [7.1235, 46, 8, 47.5])
  for (const text of ['', '1,2,3', '1,2,3,4,5', 'a,b,c,d', '1,,3,4', '1,5,3,4', '190,1,2,3', 7])
    assert.equal(readBox(text), undefined, String(text))
})
