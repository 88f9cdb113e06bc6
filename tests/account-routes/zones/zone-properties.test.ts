// Random routes and zones: nothing hidden is revealed. What the visible rest reveals is tested in zone-attacks.test.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { clipLines } from '../../../src/account-routes/zones/clip.ts'
import { circleOf } from '../../../src/account-routes/zones/zone-circle.ts'
import type { Circle, Zone } from '../../../src/account-routes/zones/zone-circle.ts'
import { atOnce } from '../../../src/shared/yielding.ts'
import { lineOf } from '../../../src/shared/geo/points.ts'
import { metresBetween, moved, placesOf, randomFrom, walk, wayBetween } from './zone-cases.ts'
import type { Place } from './zone-cases.ts'

const region = fc.constantFrom<Place>(
  { lat: 46.9, lon: 7.4 },
  { lat: 0, lon: 0 },
  { lat: -16.5, lon: 179.999 },
  { lat: 89.99, lon: 10 },
  { lat: -90, lon: 0 },
)
const radius = fc.constantFrom(50, 120, 200, 500, 1_000)
const seed = fc.nat(2 ** 31)

void test('issue 5, C36: no point that others get is in a zone or its circle, nor the segment between two; all are points of the route, in order', () => {
  let cut = 0
  fc.assert(
    fc.property(
      fc.record({ region, seed, radii: fc.array(radius, { minLength: 1, maxLength: 3 }) }),
      ({ region: place, seed: from, radii }) => {
        const random = randomFrom(from)
        const largest = { lat: place.lat, lon: place.lon, radiusMetres: Math.max(...radii) }
        const scale = circleOf(largest, { salt: 's', displacement: 'disc' }).radiusMetres
        const zones: Zone[] = []
        for (const radiusMetres of radii) {
          const { lat, lon } = moved(place, random() * 360, zones.length === 0 ? 0 : random() * scale * 3)
          zones.push({ lat, lon, radiusMetres })
        }
        const circles = zones.map((zone) => circleOf(zone, { salt: `salt ${from}`, displacement: 'disc' }))
        // From home and back, or passing by; dense, or with steps across a whole zone.
        const stepMetres = scale * (0.02 + random() ** 3 * 3)
        const how = { count: 60, stepMetres, turnDegrees: random() * 60, random }
        const out = walk(place, { ...how, azimuth: random() * 360 })
        const home = [...out, ...out.toReversed()].map(({ lat, lon }, index) => ({
          lat,
          lon,
          ele: index,
          timeMs: index,
        }))
        const passing = walk(moved(place, random() * 360, scale * 2), { ...how, azimuth: random() * 360 })
        for (const route of [home, passing]) {
          const clipped = atOnce(clipLines([lineOf(route)], circles))
          if (clipped.isClipped) cut += 1
          checkChunks(route, placesOf(clipped), { zones, circles })
        }
      },
    ),
    { numRuns: 150 },
  )
  assert.ok(cut > 100, `${cut} of 300 routes were cut`)
})

function checkChunks(
  route: readonly Place[],
  chunks: readonly (readonly { lat: number; lon: number; ele?: number; timeMs?: number }[])[],
  { zones, circles }: { zones: readonly Zone[]; circles: readonly Circle[] },
): void {
  const isOutside = (at: Place): boolean =>
    [...zones, ...circles].every(
      (area) =>
        // A degree of latitude is at least 110.5 km.
        Math.abs(at.lat - area.lat) * 110_500 > area.radiusMetres ||
        metresBetween(at, area) > area.radiusMetres,
    )
  let last = -1
  for (const chunk of chunks) {
    assert.ok(chunk.length > 1)
    for (const [index, at] of chunk.entries()) {
      assert.ok(at.ele !== undefined && at.ele > last && at.timeMs === undefined)
      last = at.ele
      assert.equal(at.lat, route[last]?.lat)
      assert.equal(at.lon, route[last]?.lon)
      assert.ok(isOutside(at), `point ${last} is hidden`)
      const before = chunk[index - 1]
      if (before === undefined) continue
      const spacing = Math.min(...circles.map(({ radiusMetres }) => radiusMetres)) / 3
      for (const between of wayBetween(before, at, spacing))
        assert.ok(isOutside(between), `the way to point ${last} is hidden`)
    }
  }
}
