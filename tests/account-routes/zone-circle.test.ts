// The circle of a privacy zone covers it, is centred elsewhere, and is the same whenever the zone is made again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { circleOf } from '../../src/account-routes/zone-circle.ts'
import { flatten, mean, metresBetween, moved } from './zone-cases.ts'

const salt = 'a salt that is secret'
const home = { lat: 46.9481, lon: 7.4474 }
const tiers = [
  [50, 400, 500],
  [200, 400, 500],
  [201, 1_500, 2_600],
  [1_000, 1_500, 2_600],
] as const
const places = [
  home,
  { lat: 0, lon: 0 },
  { lat: 12.3, lon: 179.999 },
  { lat: -12.3, lon: -180 },
  { lat: 90, lon: 0 },
  { lat: -89.999, lon: 33 },
]

for (const [radiusMetres, least, most] of tiers)
  void test(`issue 5: the circle of a zone of ${radiusMetres} m covers it from ${least} to ${most} m away, also at poles and the antimeridian`, () => {
    for (const place of places)
      for (let index = 0; index < 40; index += 1) {
        const circle = circleOf({ ...place, radiusMetres }, `salt ${index}`)
        const metres = metresBetween(place, circle)
        assert.ok(metres >= least - 1e-3 && metres <= most + 1e-3, `${metres} m`)
        assert.ok(metres >= radiusMetres)
        assert.equal(circle.radiusMetres, radiusMetres + most + 1)
        for (let azimuth = 0; azimuth < 360; azimuth += 45)
          assert.ok(metresBetween(circle, moved(place, azimuth, radiusMetres)) < circle.radiusMetres)
        assert.ok(Math.abs(circle.lon) <= 180 && Math.abs(circle.lat) <= 90)
      }
  })

void test('issue 5: the displacement goes into every direction alike, and its mean is twice the largest radius of a tier', () => {
  for (const radiusMetres of [200, 1_000]) {
    const offsets = Array.from({ length: 2_000 }, (_, index) =>
      flatten(home, circleOf({ ...home, radiusMetres }, `salt ${index}`)),
    )
    assert.ok(mean(offsets.map(([x, y]) => Math.hypot(x, y))) > 2 * radiusMetres)
    for (const isThere of [
      ([x]: readonly [number, number]) => x > 0,
      ([, y]: readonly [number, number]) => y > 0,
      ([x, y]: readonly [number, number]) => x * y > 0,
    ])
      assert.ok(Math.abs(offsets.filter(isThere).length - 1_000) < 140)
  }
})

void test('issue 5: a zone made again in its cell is displaced as before; in another cell, or for another salt, otherwise', () => {
  const zone = { ...home, radiusMetres: 200 }
  const offset = flatten(zone, circleOf(zone, salt))
  assert.deepEqual(circleOf(zone, salt), circleOf({ ...zone }, salt))
  const near = { ...zone, lat: zone.lat + 0.0004, lon: zone.lon - 0.0007, radiusMetres: 60 }
  const again = flatten(near, circleOf(near, salt))
  assert.ok(Math.hypot(offset[0] - again[0], offset[1] - again[1]) < 0.01)
  for (const other of [
    flatten(zone, circleOf(zone, 'another')),
    flatten({ ...zone, lat: 47 }, circleOf({ ...zone, lat: 47 }, salt)),
  ])
    assert.ok(Math.hypot(offset[0] - other[0], offset[1] - other[1]) > 1)
})

void test('issue 5: a cell has the same size beside a pole, and goes on across the antimeridian', () => {
  const offsetAt = (lat: number, lon: number): string => {
    const place = { lat, lon }
    return flatten(place, circleOf({ ...place, radiusMetres: 100 }, salt))
      .map((metres) => metres.toFixed(2))
      .join(' ')
  }
  assert.equal(offsetAt(12.3, 180), offsetAt(12.3, -180))
  assert.equal(offsetAt(12.3, 179.9999), offsetAt(12.3, -179.9999))
  assert.equal(offsetAt(89.9, 0), offsetAt(89.9, 1))
})
