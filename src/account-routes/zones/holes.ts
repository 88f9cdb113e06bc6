// A circle as something to look for: whether a point lies in it, and whether the way between two points leads through.
import type { Circle } from './zone-circle.ts'

export interface Hole {
  readonly latRadians: number
  readonly centre: Vector
  /** The angle of the radius, and the square of its chord on a sphere of radius 1. */
  readonly angle: number
  readonly chordSquared: number
}

type Vector = readonly [x: number, y: number, z: number]

/** How much work there was, for whoever has to let others have their turn. */
export interface Tally {
  halvings: number
}

/** A point made ready to be looked for in any number of holes. */
export interface Spot {
  lat: number
  lon: number
  x: number
  y: number
  z: number
}

/**
 * The least radius of curvature that the ellipsoid has anywhere: a (1 − e²). A way of s metres on it turns by at most
 * s / 6,335,439 in the angles of a sphere that takes the same latitudes and longitudes (its metric is that of the
 * ellipsoid with both radii of curvature, 6,335,439 to 6,399,594 m, replaced by one). So whoever is within the radius on
 * the ellipsoid is within this angle on the sphere, and nobody is cut for it who is 1.02 % of the radius outside.
 */
const minCurvatureMetres = 6_335_439

/** A way that passes within this share of the radius passes through, as far as halving can tell; it bounds the halving. */
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

/** On the edge is inside. */
export function isInside(spot: Spot, holes: readonly Hole[]): boolean {
  for (const hole of holes) {
    if (Math.abs(spot.lat - hole.latRadians) > hole.angle) continue
    if (chordSquared(spot.x, spot.y, spot.z, hole) <= hole.chordSquared) return true
  }
  return false
}

/**
 * Whether the way between two spots outside leads through a hole, however a map draws it: along the great circle, as a
 * straight line in longitude and latitude, or straight on Mercator's map, which most maps on the web are. Of the two
 * ways around the globe it is the shorter one that counts.
 */
export function passesThrough(from: Spot, to: Spot, holes: readonly Hole[], tally: Tally): boolean {
  const lonWay = shorterWay(to.lon - from.lon)
  // No way goes farther than this: none leaves the latitudes of its ends but the great circle, which is the shortest.
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

/** Of a way along which latitude and longitude each only grow or only fall. */
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
 * Halves the way until a middle is inside, or so far outside that its half cannot get there, or the half is too short to
 * matter. Only ways along the very edge are halved to the end, and an edge is at most some 300 such halves long.
 */
function passesAlongArc(from: Vector, to: Vector, look: Look): boolean {
  const { hole, tally } = look
  tally.halvings += 1
  const sum: Vector = [from[0] + to[0], from[1] + to[1], from[2] + to[2]]
  const length = Math.hypot(...sum)
  // Opposite ends of the globe: the way may lead anywhere.
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

/** At a pole the tangent is finite in floating point, so that this is too. */
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
