// Shared by the tests of privacy zones: distances on the ellipsoid, random routes, and estimates of a centre.
import geographiclib from 'geographiclib-geodesic'
import type { Clipped } from '../../../src/account-routes/zones/clip.ts'
import { positionsOf } from '../../../src/shared/geo/points.ts'
import type { Position } from '../../../src/shared/geo/points.ts'

export interface Place {
  readonly lat: number
  readonly lon: number
}
export type Flat = readonly [east: number, north: number]
export type Random = () => number

const { WGS84 } = geographiclib.Geodesic

export function metresBetween(a: Place, b: Place): number {
  return WGS84.Inverse(a.lat, a.lon, b.lat, b.lon).s12 ?? NaN
}

export function moved(from: Place, azimuth: number, metres: number): Place {
  const { lat2 = NaN, lon2 = NaN } = WGS84.Direct(from.lat, from.lon, azimuth, metres)
  return { lat: lat2, lon: lon2 }
}

/** Metres east and north of `origin`, preserving distance and direction from there. */
export function flatten(origin: Place, place: Place): Flat {
  const { s12 = NaN, azi1 = NaN } = WGS84.Inverse(origin.lat, origin.lon, place.lat, place.lon)
  const angle = (azi1 * Math.PI) / 180
  return [s12 * Math.sin(angle), s12 * Math.cos(angle)]
}

/** mulberry32: the seed that fast-check prints reproduces a case. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A walk whose points have their index as elevation. */
export function walk(
  start: Place,
  how: { count: number; stepMetres: number; azimuth: number; turnDegrees: number; random: Random },
): Position[] {
  const { count, stepMetres, turnDegrees, random } = how
  const points: Position[] = []
  let at = start
  let { azimuth } = how
  for (let index = 0; index < count; index += 1) {
    points.push({ ...at, ele: index, timeMs: index * 1_000 })
    // An azimuth refers to its meridian, and near a pole changes with each step; such a walk may bend.
    azimuth += (random() * 2 - 1) * turnDegrees
    at = moved(at, azimuth, stepMetres * (0.5 + random()))
  }
  return points
}

/** Points between the two, along the great circle and along a straight line in degrees. */
export function wayBetween(a: Place, b: Place, spacingMetres: number): Place[] {
  const count = Math.min(400, Math.ceil(metresBetween(a, b) / spacingMetres))
  const lonWay = ((((b.lon - a.lon + 180) % 360) + 360) % 360) - 180
  const [from, to] = [vectorOf(a), vectorOf(b)]
  return Array.from({ length: Math.max(0, count - 1) }, (_, index) => (index + 1) / count).flatMap(
    (share) => {
      const sum = from.map((value, axis) => value * (1 - share) + (to[axis] ?? 0) * share)
      const [x = 0, y = 0, z = 0] = sum
      return [
        { lat: a.lat + (b.lat - a.lat) * share, lon: a.lon + lonWay * share },
        { lat: degrees(Math.atan2(z, Math.hypot(x, y))), lon: degrees(Math.atan2(y, x)) },
      ]
    },
  )
}

const degrees = (radians: number): number => (radians * 180) / Math.PI

function vectorOf({ lat, lon }: Place): number[] {
  const [phi, lambda] = [(lat * Math.PI) / 180, (lon * Math.PI) / 180]
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)]
}

export function placesOf({ lines }: Clipped): Position[][] {
  return lines.map((line) => [...positionsOf(line)])
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

export function centroid(ends: readonly Flat[]): Flat {
  return [mean(ends.map(([x]) => x)), mean(ends.map(([, y]) => y))]
}

/** Centre of the best-fitting circle: least squares in x² + y² (Kåsa). */
export function fitCircle(ends: readonly Flat[]): Flat {
  const [midX, midY] = centroid(ends)
  let [uu, uv, vv, uw, vw] = [0, 0, 0, 0, 0]
  for (const [x, y] of ends) {
    const [u, v] = [x - midX, y - midY]
    const w = (u * u + v * v) / 2
    uu += u * u
    uv += u * v
    vv += v * v
    uw += u * w
    vw += v * w
  }
  const determinant = uu * vv - uv * uv
  return [midX + (uw * vv - vw * uv) / determinant, midY + (vw * uu - uw * uv) / determinant]
}

export function apart([x, y]: Flat, [u, v]: Flat): number {
  return Math.hypot(x - u, y - v)
}
