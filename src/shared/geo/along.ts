// Places along lines, by the miles from their start: where so many miles are, and how many miles a place is nearest to.
import { metresBetween, metresOfMile } from './measures.ts'
import type { Line } from './points.ts'

/** Lines one after the other, with the miles of each point; a gap between two of them counts nothing, as in C34. */
export interface MeasuredLine {
  readonly lengthMiles: number
  /** Every leg: from a point to the next of its line; one of no length for a line of one point. */
  readonly legs: readonly Leg[]
}

interface Leg {
  readonly fromLat: number
  readonly fromLon: number
  readonly toLat: number
  readonly toLon: number
  /** Where it begins. */
  readonly startMiles: number
  readonly endMiles: number
}

export interface PlaceOnLine {
  readonly lat: number
  readonly lon: number
  readonly miles: number
}

export interface NearestOnLine extends PlaceOnLine {
  /** From the place that was asked about. */
  readonly metres: number
}

const metresPerDegree = 111_320

/** Lines as the map has them, or `[line]`. Once for each trail: what is asked of it afterwards takes no geodesics. */
export function measureLine(lines: readonly Line[]): MeasuredLine {
  const legs: Leg[] = []
  let miles = 0
  for (const { points, first, end } of lines) {
    for (let from = first; from < end; from += 1) {
      const to = Math.min(from + 1, end - 1)
      if (to === from && end - first > 1) break
      const startMiles = miles
      miles += metresBetween(points, from, to) / metresOfMile
      legs.push({
        fromLat: points.lat(from),
        fromLon: points.lon(from),
        toLat: points.lat(to),
        toLon: points.lon(to),
        startMiles,
        endMiles: miles,
      })
    }
  }
  return { lengthMiles: miles, legs }
}

/** @throws RangeError where the line has no point. */
export function pointAtMiles({ legs }: MeasuredLine, miles: number): PlaceOnLine {
  let [low, high] = [0, legs.length - 1]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((legs[middle]?.endMiles ?? NaN) < miles) low = middle + 1
    else high = middle
  }
  const leg = legs[low]
  if (leg === undefined) throw new RangeError('the line has no point')
  const length = leg.endMiles - leg.startMiles
  return onLeg(leg, length === 0 ? 0 : clamped((miles - leg.startMiles) / length))
}

/** The place of the line that lies nearest, on a plane around the point: exact enough for a tap. Undefined: no line. */
export function nearestOnLine(
  { legs }: MeasuredLine,
  point: { readonly lat: number; readonly lon: number },
): NearestOnLine | undefined {
  const metresEast = metresPerDegree * Math.cos((point.lat * Math.PI) / 180)
  let nearest: NearestOnLine | undefined
  for (const leg of legs) {
    // From the point to where the leg begins, and from there to its end; either the shorter way around.
    const fromEast = turned(leg.fromLon - point.lon) * metresEast
    const fromNorth = (leg.fromLat - point.lat) * metresPerDegree
    const east = turned(leg.toLon - leg.fromLon) * metresEast
    const north = (leg.toLat - leg.fromLat) * metresPerDegree
    const squared = east * east + north * north
    const share = squared === 0 ? 0 : clamped(-(fromEast * east + fromNorth * north) / squared)
    const metres = Math.hypot(fromEast + share * east, fromNorth + share * north)
    if (nearest === undefined || metres < nearest.metres) nearest = { ...onLeg(leg, share), metres }
  }
  return nearest
}

/** A coordinate between two, the shorter way around the globe for longitudes. */
export function longitudeBetween(from: number, to: number, share: number): number {
  return turned(from + turned(to - from) * share)
}

/** From -180 to 180. */
function turned(degrees: number): number {
  return Math.abs(degrees) <= 180 ? degrees : degrees - 360 * Math.sign(degrees)
}

const clamped = (share: number): number => Math.min(1, Math.max(0, share))

function onLeg(leg: Leg, share: number): PlaceOnLine {
  return {
    lat: leg.fromLat + (leg.toLat - leg.fromLat) * share,
    lon: longitudeBetween(leg.fromLon, leg.toLon, share),
    miles: leg.startMiles + (leg.endMiles - leg.startMiles) * share,
  }
}
