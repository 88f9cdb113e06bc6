// Random routes and zones: nothing hidden comes out, and what comes out does not tell where a zone's centre is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { clipLines } from '../../src/account-routes/clip.ts'
import { circleOf } from '../../src/account-routes/zone-circle.ts'
import type { Circle, Zone } from '../../src/account-routes/zone-circle.ts'
import { atOnce } from '../../src/contract/in-turns.ts'
import { lineOf } from '../../src/contract/points.ts'
import {
  apart,
  centroid,
  fitCircle,
  flatten,
  mean,
  metresBetween,
  moved,
  placesOf,
  randomFrom,
  towards,
  usualMetres,
  walk,
  wayBetween,
} from './zone-cases.ts'
import type { Flat, Place, Random } from './zone-cases.ts'

const region = fc.constantFrom<Place>(
  { lat: 46.9, lon: 7.4 },
  { lat: 0, lon: 0 },
  { lat: -16.5, lon: 179.999 },
  { lat: 89.99, lon: 10 },
  { lat: -90, lon: 0 },
)
const radius = fc.constantFrom(50, 120, 200, 500, 1_000)
const seed = fc.nat(2 ** 31)

/** Where the displacement is least for the radius: at the upper end of each of the two tiers. */
const anyRadius = (random: Random): number =>
  [200, 1_000].map((most) => most * (0.75 + random() / 4))[Math.floor(random() * 2)] ?? 200

void test('issue 5, C36: no point that others get is in a zone or its circle, nor the way between two; all are points of the route, in order', () => {
  let cut = 0
  fc.assert(
    fc.property(
      fc.record({ region, seed, radii: fc.array(radius, { minLength: 1, maxLength: 3 }) }),
      ({ region: place, seed: from, radii }) => {
        const random = randomFrom(from)
        const largest = { lat: place.lat, lon: place.lon, radiusMetres: Math.max(...radii) }
        const scale = circleOf(largest, 's').radiusMetres
        const zones: Zone[] = []
        for (const radiusMetres of radii) {
          const { lat, lon } = moved(place, random() * 360, zones.length === 0 ? 0 : random() * scale * 3)
          zones.push({ lat, lon, radiusMetres })
        }
        const circles = zones.map((zone) => circleOf(zone, `salt ${from}`))
        // From home and back, and one that passes by; dense, or with steps over a whole zone.
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
          checkPieces(route, placesOf(clipped), { zones, circles })
        }
      },
    ),
    { numRuns: 150 },
  )
  assert.ok(cut > 100, `${cut} of 300 routes were cut`)
})

function checkPieces(
  route: readonly Place[],
  pieces: readonly (readonly { lat: number; lon: number; ele?: number; timeMs?: number }[])[],
  { zones, circles }: { zones: readonly Zone[]; circles: readonly Circle[] },
): void {
  const isOutside = (at: Place): boolean =>
    [...zones, ...circles].every(
      (area) =>
        // No degree of latitude is shorter than 110.5 km.
        Math.abs(at.lat - area.lat) * 110_500 > area.radiusMetres ||
        metresBetween(at, area) > area.radiusMetres,
    )
  let last = -1
  for (const piece of pieces) {
    assert.ok(piece.length > 1)
    for (const [index, at] of piece.entries()) {
      assert.ok(at.ele !== undefined && at.ele > last && at.timeMs === undefined)
      last = at.ele
      assert.equal(at.lat, route[last]?.lat)
      assert.equal(at.lon, route[last]?.lon)
      assert.ok(isOutside(at), `point ${last} is hidden`)
      const before = piece[index - 1]
      if (before === undefined) continue
      const spacing = Math.min(...circles.map(({ radiusMetres }) => radiusMetres)) / 3
      for (const between of wayBetween(before, at, spacing))
        assert.ok(isOutside(between), `the way to point ${last} is hidden`)
    }
  }
}

/** The ends that clipping leaves of routes, as metres around the first of them, and where the zone's centre is there. */
function endsOf(zone: Zone, circle: Circle, routes: readonly Place[][]): { ends: Flat[]; centre: Flat } {
  const { lines } = atOnce(clipLines(routes.map(lineOf), [circle]))
  const places = placesOf({ lines, isClipped: true }).flatMap((piece) => {
    const ends = [piece[0], piece.at(-1)].filter((end) => end !== undefined)
    // The end of a route that was not cut is somewhere else altogether.
    return ends.filter((end) => metresBetween(end, circle) < circle.radiusMetres * 1.06)
  })
  const origin = places[0] ?? zone
  return { ends: places.map((place) => flatten(origin, place)), centre: flatten(origin, zone) }
}

function zoneOf(random: Random): { zone: Zone; circle: Circle } {
  const zone = { lat: 40 + random() * 20, lon: random() * 20, radiusMetres: anyRadius(random) }
  return { zone, circle: circleOf(zone, `salt ${random()}`) }
}

/** From the zone's centre into all directions, as roads bend. */
function fanOf(zone: Zone, circle: Circle, random: Random): Place[][] {
  const first = random() * 360
  return Array.from({ length: 24 }, (_, index) =>
    walk(zone, {
      count: 110,
      stepMetres: circle.radiusMetres * 0.025,
      azimuth: first + index * 15,
      turnDegrees: 6,
      random,
    }),
  )
}

/** Past or through, as whoever lives anywhere else in there would. */
function passesOf(circle: Circle, random: Random): Place[][] {
  return Array.from({ length: 24 }, () => {
    const azimuth = random() * 360
    const aside = moved(circle, azimuth + 90, (random() * 2 - 1) * circle.radiusMetres * 0.95)
    return walk(moved(aside, azimuth + 180, circle.radiusMetres * 1.2), {
      count: 60,
      stepMetres: circle.radiusMetres * 0.05,
      azimuth,
      turnDegrees: 2,
      random,
    })
  })
}

/** Errors in radii of the zone. */
type Errors = Record<string, number[]>

function note(errors: Errors, name: string, value: number): void {
  ;(errors[name] ??= []).push(value)
}

function checkMeans(errors: Errors): void {
  for (const [name, values] of Object.entries(errors))
    assert.ok(mean(values) >= 1, `${name} is ${mean(values).toFixed(2)} radii off on average`)
}

const once = { numRuns: 1 }

void test('issue 5: who fits a circle to the ends of many routes never gets nearer than the radius; nor does, on average, whoever takes their middle', () => {
  fc.assert(
    fc.property(seed, (from) => {
      const random = randomFrom(from)
      const errors: Errors = {}
      for (let round = 0; round < 40; round += 1) {
        const { zone, circle } = zoneOf(random)
        const { ends, centre } = endsOf(zone, circle, fanOf(zone, circle, random))
        assert.ok(ends.length >= 20, `${ends.length} ends`)
        const fitted = apart(fitCircle(ends), centre) / zone.radiusMetres
        assert.ok(fitted > 0.95, `a fitted circle is ${fitted} radii off`)
        note(errors, 'the fitted circle', fitted)
        note(errors, 'the middle of the ends', apart(centroid(ends), centre) / zone.radiusMetres)
      }
      checkMeans(errors)
    }),
    once,
  )
})

void test('issue 5: who knows the algorithm, the radius and the exact circle has no better guess than the circle’s centre', () => {
  fc.assert(
    fc.property(seed, (from) => {
      const random = randomFrom(from)
      const errors: Errors = {}
      for (let round = 0; round < 30; round += 1) {
        const { zone, circle } = zoneOf(random)
        const { ends, centre } = endsOf(zone, circle, passesOf(circle, random))
        const shift = flatten(circle, zone)
        const usual = usualMetres(zone.radiusMetres)
        const fit = fitCircle(ends)
        const middle = centroid(ends)
        const off = (guess: Flat, real: Flat): number => apart(guess, real) / zone.radiusMetres
        note(errors, 'the exact centre', off([0, 0], shift))
        const angle = random() * 2 * Math.PI
        for (const share of [0.3, 0.7, 1])
          note(
            errors,
            `any direction, ${share} of the usual distance`,
            off([usual * share * Math.cos(angle), usual * share * Math.sin(angle)], shift),
          )
        note(errors, 'the fitted circle', off(fit, centre))
        note(errors, 'the middle of the ends', off(middle, centre))
        note(errors, 'from the circle towards the middle', off(towards(fit, middle, usual), centre))
        note(errors, 'from the circle away from the middle', off(towards(fit, middle, -usual), centre))
        note(
          errors,
          'the middle, twice as far',
          off([2 * middle[0] - fit[0], 2 * middle[1] - fit[1]], centre),
        )
      }
      checkMeans(errors)
    }),
    once,
  )
})

void test('issue 5: zones made again, with other radii or a little aside, help nobody who has all their circles', () => {
  fc.assert(
    fc.property(seed, (from) => {
      const random = randomFrom(from)
      const errors: Errors = {}
      for (let round = 0; round < 150; round += 1) {
        // The centre of a cell, so that the little aside is no other cell.
        const home = { lat: Math.round(4_000 + random() * 2_000) / 100, lon: 180 }
        const salt = `salt ${from} ${round}`
        const radii = [100 + random() * 100, 300 + random() * 700, 1_500 + random() * 3_500]
        const circles = radii.map((radiusMetres) => circleOf({ ...home, radiusMetres }, salt))
        const [small, large, largest] = circles.map((circle) => flatten(home, circle))
        assert.ok(small && large && largest)
        const off = (guess: Flat): number => Math.hypot(...guess) / Math.max(radii[0] ?? 0, 1)
        const [least = 0, more = 1] = radii
        note(errors, 'the smallest circle', off(small))
        note(errors, 'the middle of all', off(centroid([small, large, largest])))
        note(
          errors,
          'as if in proportion',
          off(towards(small, large, (-apart(small, large) * least) / (more - least))),
        )
        note(errors, 'back from the larger', off(towards(small, large, -450)))
        note(errors, 'on towards the larger', off(towards(small, large, 450)))
        note(
          errors,
          'where the rings meet',
          off(whereRingsMeet(small, [large, 1_500, 2_600], [largest, 7_400, 13_000])),
        )

        const aside = { ...moved(home, random() * 360, random() * 200), radiusMetres: 150 }
        const again = flatten(aside, circleOf(aside, salt))
        assert.ok(apart(again, small) < 0.01, 'displaced otherwise')
      }
      checkMeans(errors)
    }),
    once,
  )
})

/** The mean of all places from 400 to 500 m around the smallest circle that the larger ones allow. */
function whereRingsMeet(
  small: Flat,
  ...larger: readonly (readonly [centre: Flat, least: number, most: number])[]
): Flat {
  const places = Array.from({ length: 360 }, (_, index): Flat => {
    const metres = 400 + (index % 5) * 25
    const angle = (index * Math.PI) / 180
    return [small[0] + metres * Math.cos(angle), small[1] + metres * Math.sin(angle)]
  })
  const allowed = places.filter((place) =>
    larger.every(([centre, least, most]) => apart(place, centre) >= least && apart(place, centre) <= most),
  )
  return allowed.length === 0 ? small : centroid(allowed)
}

void test('issue 5: what no hole hides: routes that fan out evenly from one place point back at it', () => {
  fc.assert(
    fc.property(seed, (from) => {
      const random = randomFrom(from)
      const errors = Array.from({ length: 12 }, () => {
        const { zone, circle } = zoneOf(random)
        const { ends, centre } = endsOf(zone, circle, fanOf(zone, circle, random))
        const [fit, middle] = [fitCircle(ends), centroid(ends)]
        return apart([2 * middle[0] - fit[0], 2 * middle[1] - fit[1]], centre) / circle.radiusMetres
      })
      assert.ok(mean(errors) < 0.35, `${mean(errors)} of the circle’s radius`)
    }),
    once,
  )
})
