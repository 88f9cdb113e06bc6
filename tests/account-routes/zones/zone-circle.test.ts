// The circle of a privacy zone covers it, is displaced anywhere within a disc, and stays the same if the zone is created
// again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { circleOf, hiddenRadiusOf, hiddenSizes } from '../../../src/account-routes/zones/zone-circle.ts'
import { oldCircleOf } from './old-zone-circle.ts'
import { flatten, metresBetween, moved } from './zone-cases.ts'

const salt = 'a salt that is secret'
const disc = { salt, displacement: 'disc' } as const
const ring = { salt, displacement: 'ring' } as const
const home = { lat: 46.9481, lon: 7.4474 }
/** Radius of a zone, and the maximum displacement of its circle. */
const sizes = [
  [50, 900],
  [100, 900],
  [101, 1_800],
  [200, 1_800],
  [300, 2_700],
  [500, 4_500],
  [1_000, 9_000],
] as const
const places = [
  home,
  { lat: 0, lon: 0 },
  { lat: 12.3, lon: 179.999 },
  { lat: -12.3, lon: -180 },
  { lat: 90, lon: 0 },
  { lat: -89.999, lon: 33 },
]

for (const [radiusMetres, farthest] of sizes)
  void test(`issue 20: the circle of a zone of ${radiusMetres} m covers it from up to ${farthest} m away, also at poles and the antimeridian`, () => {
    for (const place of places)
      for (let index = 0; index < 40; index += 1) {
        const circle = circleOf({ ...place, radiusMetres }, { ...disc, salt: `salt ${index}` })
        assert.ok(metresBetween(place, circle) <= farthest + 1e-3)
        assert.equal(circle.radiusMetres, radiusMetres + farthest + 1)
        for (let azimuth = 0; azimuth < 360; azimuth += 45)
          assert.ok(metresBetween(circle, moved(place, azimuth, radiusMetres)) < circle.radiusMetres)
        assert.ok(Math.abs(circle.lon) <= 180 && Math.abs(circle.lat) <= 90)
      }
  })

void test('issue 20: the centre is uniformly distributed over the disc, in every direction', () => {
  const offsets = Array.from({ length: 4_000 }, (_, index) =>
    flatten(home, circleOf({ ...home, radiusMetres: 100 }, { ...disc, salt: `salt ${index}` })),
  )
  for (const share of [0.1, 0.25, 0.5, 0.75, 0.9]) {
    const within = offsets.filter(([x, y]) => Math.hypot(x, y) <= 900 * Math.sqrt(share)).length
    assert.ok(Math.abs(within / 4_000 - share) < 0.03, `${within} of 4000 within ${share} of the area`)
  }
  for (const isThere of [
    ([x]: readonly [number, number]) => x > 0,
    ([, y]: readonly [number, number]) => y > 0,
    ([x, y]: readonly [number, number]) => x * y > 0,
  ])
    assert.ok(Math.abs(offsets.filter(isThere).length - 2_000) < 140)
})

void test('issue 20: of two sizes at one place, the larger circle contains the smaller one', () => {
  for (const displaced of [disc, ring])
    for (let index = 0; index < 200; index += 1) {
      const circles = sizes.map(([radiusMetres]) =>
        circleOf({ ...home, radiusMetres }, { ...displaced, salt: `salt ${index}` }),
      )
      for (const [at, small] of circles.entries())
        for (const large of circles.slice(at + 1))
          assert.ok(metresBetween(small, large) + small.radiusMetres <= large.radiusMetres + 1e-3)
    }
})

void test('issue 20: an account that had zones before keeps its old circles: every new one contains the old one', () => {
  for (const place of [home, { lat: 71.2, lon: 25.8 }, { lat: -77.8, lon: 166.7 }])
    for (const [radiusMetres] of sizes)
      for (let index = 0; index < 100; index += 1) {
        const zone = { ...place, radiusMetres }
        const old = oldCircleOf(zone, `salt ${index}`)
        const circle = circleOf(zone, { ...ring, salt: `salt ${index}` })
        assert.ok(metresBetween(old, circle) + old.radiusMetres <= circle.radiusMetres)
      }
})

void test('issue 20: the preview of a new zone is what is hidden', () => {
  for (const { displacement } of [disc, ring]) {
    const reported = hiddenSizes(1_000, displacement)
    for (let radius = 50; radius <= 1_000; radius += 1) {
      const entry = reported.find(({ maxRadius }) => radius <= maxRadius)
      assert.equal(radius + (entry?.added ?? NaN), hiddenRadiusOf(radius, displacement))
    }
  }
})

void test('issue 5: a zone created again in its cell is displaced as before; in another cell, or with another salt, differently', () => {
  const zone = { ...home, radiusMetres: 100 }
  const offset = flatten(zone, circleOf(zone, disc))
  assert.deepEqual(circleOf(zone, disc), circleOf({ ...zone }, disc))
  const near = { ...zone, lat: zone.lat + 0.0004, lon: zone.lon - 0.0007, radiusMetres: 60 }
  const again = flatten(near, circleOf(near, disc))
  assert.ok(Math.hypot(offset[0] - again[0], offset[1] - again[1]) < 0.01)
  for (const other of [
    flatten(zone, circleOf(zone, { ...disc, salt: 'another' })),
    flatten({ ...zone, lat: 47 }, circleOf({ ...zone, lat: 47 }, disc)),
  ])
    assert.ok(Math.hypot(offset[0] - other[0], offset[1] - other[1]) > 1)
})

void test('issue 5: a cell has the same size near a pole, and continues across the antimeridian', () => {
  const offsetAt = (lat: number, lon: number): string => {
    const place = { lat, lon }
    return flatten(place, circleOf({ ...place, radiusMetres: 100 }, disc))
      .map((metres) => metres.toFixed(2))
      .join(' ')
  }
  assert.equal(offsetAt(12.3, 180), offsetAt(12.3, -180))
  assert.equal(offsetAt(12.3, 179.9999), offsetAt(12.3, -179.9999))
  assert.equal(offsetAt(89.9, 0), offsetAt(89.9, 1))
})
