// The place of a line that is nearest to a point, found another way than the code does: by trying places along geodesics.
import assert from 'node:assert/strict'
import geographiclib from 'geographiclib-geodesic'
import { measureLine, nearestOnLine } from '../../../src/shared/geo/along.ts'
import { lineOf } from '../../../src/shared/geo/points.ts'

const { WGS84 } = geographiclib.Geodesic

export interface Place {
  readonly lat: number
  readonly lon: number
}

export const metresApart = (one: Place, other: Place): number =>
  WGS84.Inverse(one.lat, one.lon, other.lat, other.lon).s12 ?? NaN

interface Leg {
  readonly from: Place
  readonly to: Place
  readonly startMetres: number
  readonly length: number
}

export function legsOf(parts: readonly (readonly Place[])[]): Leg[] {
  const legs: Leg[] = []
  let startMetres = 0
  for (const part of parts)
    for (const [index, to] of part.entries()) {
      const from = part[index - 1]
      if (!from) continue
      const length = metresApart(from, to)
      legs.push({ from, to, startMetres, length })
      startMetres += length
    }
  return legs
}

/** Of the leg: distance and metres along the line, each third by third to a hundredth of a millimetre. */
function nearestOfLeg({ from, to, startMetres, length }: Leg, point: Place) {
  const way = WGS84.InverseLine(from.lat, from.lon, to.lat, to.lon)
  const metresAt = (along: number): number => {
    const { lat2 = NaN, lon2 = NaN } = way.Position(along)
    return metresApart({ lat: lat2, lon: lon2 }, point)
  }
  let [low, high] = [0, length]
  while (high - low > 1e-5) {
    const third = (high - low) / 3
    if (metresAt(low + third) < metresAt(high - third)) high -= third
    else low += third
  }
  // On a short leg rounding of the distances would hide which end it is.
  const along =
    [0, (low + high) / 2, length].toSorted((one, other) => metresAt(one) - metresAt(other))[0] ?? 0
  return { metres: metresAt(along), along: startMetres + along }
}

/** No point of the leg is nearer: by its ends and its length. */
const minOfLeg = ({ from, to, length }: Leg, point: Place): number =>
  (metresApart(from, point) + metresApart(to, point) - length) / 2

/** Every leg that could be the nearest is tried. */
export function projected(legs: readonly Leg[], point: Place): { metres: number; along: number }[] {
  const bounds = legs.map((leg) => minOfLeg(leg, point))
  const order = legs
    .map((_, index) => index)
    .toSorted((one, other) => (bounds[one] ?? 0) - (bounds[other] ?? 0))
  const found: { metres: number; along: number }[] = []
  let best = Infinity
  for (const index of order) {
    const leg = legs[index]
    if (!leg || (bounds[index] ?? 0) > best + 0.001) break
    const nearest = nearestOfLeg(leg, point)
    found.push(nearest)
    best = Math.min(best, nearest.metres)
  }
  return found.filter(({ metres }) => metres <= best + 0.001)
}

export const metresOfMile = 1609.344

/**
 * Holds the code against it: within a metre along the line, and where the line passes equally near several times, at the
 * first of them.
 * @returns the difference in metres.
 */
export function compare(parts: readonly (readonly Place[])[], points: readonly Place[]): number {
  const legs = legsOf(parts)
  const line = measureLine(parts.map((part) => lineOf(part)))
  let worst = 0
  for (const point of points) {
    const nearest = nearestOnLine(line, point)
    const places = projected(legs, point)
    assert.ok(nearest && places.length > 0)
    const off = places.map(({ along }) => Math.abs(along - nearest.miles * metresOfMile))
    const difference = Math.min(...off)
    assert.ok(difference < 1, `${difference} m off at ${JSON.stringify(point)}`)
    const metres = Math.min(...places.map((place) => place.metres))
    assert.ok(Math.abs(metres - nearest.metres) < 0.002, `${nearest.metres} instead of ${metres}`)
    worst = Math.max(worst, difference)
  }
  return worst
}
