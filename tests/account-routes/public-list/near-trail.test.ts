// Which routes use a trail (200 m within 50 m of its line), compared with distances on the ellipsoid; and how that is
// kept up to date.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  minMetresAlong,
  nearMetres,
  usesTrail,
  widened,
} from '../../../src/account-routes/public-list/near-trail.ts'
import { measureAtOnce } from '../../../src/shared/geo/measures.ts'
import { lineOf } from '../../../src/shared/geo/points.ts'
import { atOnce } from '../../../src/shared/yielding.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { changeRoute, gpxOf, type Point } from '../v2-helpers.ts'
import { metresBetween, moved, randomFrom, type Place } from '../zones/zone-cases.ts'
import { addListed, compareWithTrails, namesOf, putTrail, soon } from './list-helpers.ts'

function uses(route: readonly Place[], trail: readonly Place[]): boolean {
  const lines = [lineOf(route)]
  const { box } = measureAtOnce(lines)
  assert.ok(box)
  return atOnce(usesTrail(lines, box, [lineOf(trail)]))
}

/** A route of this length in metres, and at this distance beside a trail that runs east from the origin. */
const beside = (
  origin: Place,
  { length, side }: { readonly length: number; readonly side: number },
): Place[] => {
  const start = moved(origin, 0, side)
  return [start, moved(start, 90, length / 2), moved(start, 90, length)]
}

const origins: readonly Place[] = [
  { lat: 46, lon: 7 },
  { lat: -17, lon: 179.99 },
  { lat: 70, lon: -30 },
  { lat: 0, lon: 0 },
]

void describe('a route along a trail', () => {
  for (const origin of origins) {
    const trail = [origin, moved(origin, 90, 1_000), moved(origin, 90, 3_000)]
    const cases = [
      [{ length: 900, side: 45 }, true],
      [{ length: 900, side: 55 }, false],
      [{ length: 210, side: 0 }, true],
      [{ length: 90, side: 10 }, true], // half of it, since it is so short
    ] as const
    for (const [asked, expected] of cases)
      void it(`${JSON.stringify(asked)} at ${origin.lat}, ${origin.lon}: ${expected}`, () =>
        assert.equal(uses(beside(origin, asked), trail), expected))

    void it(`that only crosses it at ${origin.lat}, ${origin.lon} does not use it`, () => {
      const middle = moved(origin, 90, 1_500)
      assert.equal(uses([moved(middle, 0, 2_000), moved(middle, 180, 2_000)], trail), false)
    })
  }

  void it('agrees with distances on the ellipsoid on random walks', () => {
    const random = randomFrom(25)
    const walk = (from: Place, count: number): Place[] => {
      const places = [from]
      for (let step = 1; step < count; step += 1)
        places.push(moved(places.at(-1) ?? from, random() * 180, 20 + random() * 60))
      return places
    }
    const dense = (places: readonly Place[], metres: number): Place[] =>
      places.flatMap((place, at) => {
        const next = places[at + 1]
        if (next === undefined) return [place]
        const parts = Math.ceil(metresBetween(place, next) / metres)
        return Array.from({ length: parts }, (_, part) => ({
          lat: place.lat + ((next.lat - place.lat) * (part + 0.5)) / parts,
          lon: place.lon + ((next.lon - place.lon) * (part + 0.5)) / parts,
        }))
      })
    const isAbout = (one: Place, other: Place): boolean => Math.abs(one.lat - other.lat) < 0.0006
    let compared = 0
    let used = 0
    for (let round = 0; round < 40; round += 1) {
      const origin = { lat: 40 + random() * 20, lon: random() * 20 }
      const trail = walk(origin, 30)
      const route = walk(moved(origin, random() * 360, random() * 150), 25)
      const trailPoints = dense(trail, 6)
      const along = (within: number) =>
        5 *
        dense(route, 5).filter((place) =>
          trailPoints.some((other) => isAbout(place, other) && metresBetween(place, other) <= within),
        ).length
      const [min, max] = [along(nearMetres - 2), along(nearMetres + 2)]
      const isClear = min > minMetresAlong + 40 || max < minMetresAlong - 40
      if (!isClear) continue
      compared += 1
      const expected = min > minMetresAlong
      if (expected) used += 1
      assert.equal(uses(route, trail), expected, `round ${round}`)
    }
    assert.ok(compared > 30 && used > 5 && used < compared - 5, `${compared} compared, ${used} used`)
  })

  void it('is searched in a box that is wide enough, also across the antimeridian', () => {
    const wide = widened({ west: 179.9999, south: 10, east: -179, north: 11 })
    assert.deepEqual(
      [wide.west, wide.south, wide.east, wide.north].map((edge) => edge.toFixed(4)),
      ['179.9994', '9.9996', '-178.9995', '11.0004'],
    )
    const { west, east } = widened({ west: -180, south: 10, east: 180, north: 11 })
    assert.deepEqual([west, east], [-180, 180])
    assert.ok(widened({ west: 179.9999, south: 10, east: 179.9999, north: 11 }).east < 0)
  })
})

void describe('the filter nearTrail', async () => {
  const waymark = await startWaymark()
  after(() => waymark.close())
  const admin = await waymark.addPerson({ role: 'admin' })
  const ann = await waymark.addPerson()
  const { db } = waymark.installation.database
  const points = (from: number): Point[] =>
    Array.from({ length: 30 }, (_, index) => [46, from + index * 0.001])
  const near = async (trailID: number, query = {}): Promise<string[]> => {
    await compareWithTrails(waymark)
    return namesOf(waymark, { nearTrail: trailID, ...query })
  }

  void it('finds routes that use the trail, in every order, and follows both lines', async () => {
    await putTrail(waymark, admin, 'POST', { trailID: 1, name: 'One', points: points(7) })
    await putTrail(waymark, admin, 'POST', { trailID: 2, name: 'Two', points: points(9) })
    await putTrail(waymark, admin, 'POST', { trailID: 3, name: 'No line', points: [] })
    const long = await addListed(waymark, ann, { name: 'Long', gpx: gpxOf([points(7)]), length: 30 })
    waymark.system.advance(1_000)
    await addListed(waymark, ann, { name: 'Short', gpx: gpxOf([points(7).slice(0, 9)]) })
    assert.deepEqual(await near(1), ['Short', 'Long'])
    assert.deepEqual(await near(1, { order: 'length' }), ['Long', 'Short'])
    assert.equal((await near(1, { order: 'ascent', limit: 1 })).length, 1)
    assert.deepEqual(await near(1, { maxMiles: 5, q: 'sh', bbox: '6,45,8,47' }), ['Short'])
    for (const trailID of [2, 3, 999]) assert.deepEqual(await near(trailID), [])
    // A route's line changes.
    await changeRoute(waymark, ann, { id: long.routeID, gpx: gpxOf([points(9)]) })
    await soon(async () => (await namesOf(waymark)).length === 2, 'it is listed again')
    assert.deepEqual([await near(1), await near(2)], [['Short'], ['Long']])
    // A trail's line changes, is removed, and then the trail is deleted.
    await putTrail(waymark, admin, 'PUT', { trailID: 1, name: 'One', points: points(9) })
    assert.deepEqual([await near(1), await near(2)], [['Long'], ['Long']])
    waymark.system.advance(1_000)
    await putTrail(waymark, admin, 'PUT', { trailID: 1, name: 'One', points: [] })
    assert.deepEqual([await near(1), await near(2)], [[], ['Long']])
    const gone = await waymark.fetch('/v2/trails/2', { method: 'DELETE', token: admin.token })
    assert.equal(gone.status, 204, await gone.clone().text())
    assert.deepEqual(await near(2), [])
    assert.deepEqual(await db.selectFrom('route_trail').selectAll().execute(), [])
    assert.deepEqual(await namesOf(waymark), ['Short', 'Long'])
  })

  void it("is kept up to date by the server's job", async () => {
    waymark.app.startJobs()
    await putTrail(waymark, admin, 'POST', { trailID: 4, name: 'Four', points: points(11) })
    await addListed(waymark, ann, { name: 'New', gpx: gpxOf([points(11)]) })
    await soon(async () => (await namesOf(waymark, { nearTrail: 4 })).length === 1, 'the job found it')
  })
})
