// Tests against a circle: whether a point is inside it, and whether the path between two points crosses it.
import type { Circle } from './zone-circle.ts'

export interface Hole {
  readonly latRadians: number
  readonly centre: Vector
  /** The angle of the radius, and the square of its chord on a sphere of radius 1. */
  readonly angle: number
  readonly chordSquared: number
}

type Vector = readonly [x: number, y: number, z: number]

/** Counts the work, so that the caller can yield. */
export interface Tally {
  halvings: number
}

/** A point prepared for tests against any number of holes. */
export interface Spot {
  lat: number
  lon: number
  x: number
  y: number
  z: number
}

/**
 * The smallest radius of curvature of the ellipsoid: a (1 − e²). A path of s metres on it turns by at most s /
 * 6,335,439 in the angles of a sphere with the same latitudes and longitudes (its metric is that of the ellipsoid
 * with both radii of curvature, 6,335,439 to 6,399,594 m, replaced by one). So every point within the radius on the
 * ellipsoid is within this angle on the sphere, and no point is cut that is more than 1.02 % of the radius outside.
 */
const minCurvatureMetres = 6_335_439

/** A path that passes this close to the radius, as a share of it, counts as crossing; this limits the bisection. */
const nearness = 0.02

const radiansOf = (degrees: number): number => (degrees * Math.PI) / 180

export function createHole({ lat, lon, radiusMetres }: Circle): Hole {
  const spot = createSpot()
  setSpot(spot, lat, lon)
  const angle = Math.min(Math.PI, radiusMetres / minCurvatureMetres)
  return {
    latRadians: spot.lat,
    centre: [spot.x, spot.y, spot.z],
    angle,
    chordSquared: (2 * Math.sin(angle / 2)) ** 2,
  }
}

export function createSpot(): Spot {
  return { lat: 0, lon: 0, x: 1, y: 0, z: 0 }
}

export function setSpot(spot: Spot, lat: number, lon: number): void {
  spot.lat = radiansOf(lat)
  spot.lon = radiansOf(lon)
  const parallel = Math.cos(spot.lat)
  spot.x = parallel * Math.cos(spot.lon)
  spot.y = parallel * Math.sin(spot.lon)
  spot.z = Math.sin(spot.lat)
}

/** A point on the edge is inside. */
export function isInside(spot: Spot, holes: readonly Hole[]): boolean {
  for (const hole of holes) {
    if (Math.abs(spot.lat - hole.latRadians) > hole.angle) continue
    if (chordSquared(spot.x, spot.y, spot.z, hole) <= hole.chordSquared) return true
  }
  return false
}

/**
 * Whether the path between two points outside crosses a hole, however a map draws it: along the great circle, as a
 * straight line in longitude and latitude, or as a straight line on Mercator's map, which most maps on the web use.
 * Of the two ways around the globe, only the shorter one counts.
 */
export function passesThrough(from: Spot, to: Spot, holes: readonly Hole[], tally: Tally): boolean {
  const lonWay = shorterWay(to.lon - from.lon)
  // No path goes farther than this: only the great circle leaves the latitudes of its ends, and it is the shortest.
  const reach = lengthAtMost(from.lat, to.lat, lonWay)
  for (const hole of holes) {
    if (Math.abs(from.lat - hole.latRadians) > hole.angle + reach) continue
    if (Math.sqrt(chordSquared(from.x, from.y, from.z, hole)) > hole.angle + reach) continue
    const look = { hole, tally }
    if (passesAlongArc([from.x, from.y, from.z], [to.x, to.y, to.z], look)) return true
    if (passesStraight(from, to.lat, from.lon + lonWay, { ...look, middleOf })) return true
    if (passesStraight(from, to.lat, from.lon + lonWay, { ...look, middleOf: mercatorMiddleOf })) return true
  }
  return false
}

function shorterWay(radians: number): number {
  if (radians > Math.PI) return radians - 2 * Math.PI
  return radians < -Math.PI ? radians + 2 * Math.PI : radians
}

/** For a path along which latitude and longitude are each monotonic. */
function lengthAtMost(fromLat: number, toLat: number, lonWay: number): number {
  const parallel = fromLat * toLat <= 0 ? 1 : Math.max(Math.cos(fromLat), Math.cos(toLat))
  return Math.abs(toLat - fromLat) + Math.abs(lonWay) * parallel
}

function chordSquared(x: number, y: number, z: number, { centre }: Hole): number {
  return (x - centre[0]) ** 2 + (y - centre[1]) ** 2 + (z - centre[2]) ** 2
}

const angleOf = (squaredChord: number): number => 2 * Math.asin(Math.min(1, Math.sqrt(squaredChord) / 2))

interface Look {
  readonly hole: Hole
  readonly tally: Tally
}

/**
 * Bisects the path until a midpoint is inside, or so far outside that its half cannot reach the hole, or the half is
 * too short to matter. Only paths along the edge are bisected to the end, and an edge has at most about 300 such
 * halves.
 */
function passesAlongArc(from: Vector, to: Vector, look: Look): boolean {
  const { hole, tally } = look
  tally.halvings += 1
  const sum: Vector = [from[0] + to[0], from[1] + to[1], from[2] + to[2]]
  const length = Math.hypot(...sum)
  // Opposite ends of the globe: the path may lead anywhere.
  if (length < 1e-9) return true
  const half = Math.acos(Math.min(1, length / 2))
  const at: Vector = [sum[0] / length, sum[1] / length, sum[2] / length]
  const distance = angleOf(chordSquared(...at, hole))
  if (distance <= hole.angle) return true
  if (distance > hole.angle + half) return false
  if (half < hole.angle * nearness) return true
  return passesAlongArc(from, at, look) || passesAlongArc(at, to, look)
}

type Middle = (fromLat: number, toLat: number) => number

const middleOf: Middle = (fromLat, toLat) => (fromLat + toLat) / 2

/** At a pole the tangent is finite in floating point, and so is this. */
const mercatorMiddleOf: Middle = (fromLat, toLat) =>
  Math.atan(Math.sinh((Math.asinh(Math.tan(fromLat)) + Math.asinh(Math.tan(toLat))) / 2))

function passesStraight(
  from: { readonly lat: number; readonly lon: number },
  toLat: number,
  toLon: number,
  look: Look & { readonly middleOf: Middle },
): boolean {
  const { hole, tally, middleOf } = look
  tally.halvings += 1
  const at = { lat: middleOf(from.lat, toLat), lon: (from.lon + toLon) / 2 }
  const half = Math.max(
    lengthAtMost(from.lat, at.lat, at.lon - from.lon),
    lengthAtMost(at.lat, toLat, toLon - at.lon),
  )
  const parallel = Math.cos(at.lat)
  const distance = angleOf(
    chordSquared(parallel * Math.cos(at.lon), parallel * Math.sin(at.lon), Math.sin(at.lat), hole),
  )
  if (distance <= hole.angle) return true
  if (distance > hole.angle + half) return false
  if (half < hole.angle * nearness) return true
  return passesStraight(from, at.lat, at.lon, look) || passesStraight(at, toLat, toLon, look)
}
