// Which segment of a line lies nearest to a place, and how far: on the ellipsoid, anywhere on earth, over the antimeridian and at the poles.
import { countOf, type Line } from './points.ts'

/** Vertices of the lines as x, y, z in metres from the centre of the earth. */
export interface SpatialLine {
  readonly vertices: Float64Array
  /** Balls of `segmentsOfBall` segments each: x, y, z, radius, first vertex, end. */
  readonly balls: Float64Array
}

const equator = 6_378_137
const eccentricitySquared = 0.006_694_379_990_14
const meanRadius = 6_371_008.8
const radians = Math.PI / 180
const segmentsOfBall = 32
const numbersOfBall = 6

function putSpatial(into: Float64Array, at: number, lat: number, lon: number): void {
  const [sine, cosine] = [Math.sin(lat * radians), Math.cos(lat * radians)]
  const across = equator / Math.sqrt(1 - eccentricitySquared * sine * sine)
  into[at] = across * cosine * Math.cos(lon * radians)
  into[at + 1] = across * cosine * Math.sin(lon * radians)
  into[at + 2] = across * (1 - eccentricitySquared) * sine
}

/** The ball around the vertices from `first` to `end`, and around the surface that their segments sag below. */
function* ballOf(vertices: Float64Array, first: number, end: number): Generator<number, void> {
  const centre = [0, 0, 0]
  for (let index = first; index < end; index += 1)
    for (let axis = 0; axis < 3; axis += 1)
      centre[axis] = (centre[axis] ?? 0) + (vertices[index * 3 + axis] ?? 0) / (end - first)
  const [x = 0, y = 0, z = 0] = centre
  let radius = 0
  let longest = 0
  const between = (index: number, toX: number, toY: number, toZ: number): number =>
    Math.hypot(
      (vertices[index * 3] ?? 0) - toX,
      (vertices[index * 3 + 1] ?? 0) - toY,
      (vertices[index * 3 + 2] ?? 0) - toZ,
    )
  for (let index = first; index < end; index += 1) {
    radius = Math.max(radius, between(index, x, y, z))
    if (index + 1 === end) break
    const next = (index + 1) * 3
    const step = between(index, vertices[next] ?? 0, vertices[next + 1] ?? 0, vertices[next + 2] ?? 0)
    longest = Math.max(longest, step)
  }
  yield* [x, y, z, radius + longest ** 2 / meanRadius, first, end]
}

/** Undefined if the lines have no point. Yields now and then. */
export function* spatialLine(lines: readonly Line[]): Generator<undefined, SpatialLine | undefined> {
  const count = lines.reduce((sum, line) => sum + countOf(line), 0)
  if (count === 0) return undefined
  const vertices = new Float64Array(count * 3)
  const balls: number[] = []
  let at = 0
  for (const { points, first: start, end } of lines) {
    if (start === end) continue
    const first = at
    for (let index = start; index < end; index += 1) {
      putSpatial(vertices, at * 3, points.lat(index), points.lon(index))
      at += 1
      if (at % 1_000 === 0) yield
    }
    // Neighbouring balls share a vertex, so that no segment falls between them.
    for (let from = first; from === first || from < at - 1; from += segmentsOfBall) {
      balls.push(...ballOf(vertices, from, Math.min(at, from + segmentsOfBall + 1)))
      if (from % 1_024 === 0) yield
    }
  }
  return { vertices, balls: Float64Array.from(balls) }
}

interface Spot {
  readonly x: number
  readonly y: number
  readonly z: number
}

const spotAt = (vertices: Float64Array, index: number): Spot => ({
  x: vertices[index * 3] ?? 0,
  y: vertices[index * 3 + 1] ?? 0,
  z: vertices[index * 3 + 2] ?? 0,
})

const lengthOf = (x: number, y: number, z: number): number => Math.sqrt(x * x + y * y + z * z)

/** A position between one vertex and the next; from a vertex to itself if a part has only one. */
export interface OnSegment {
  /** The vertex where the segment begins. */
  readonly from: number
  readonly to: number
  /** On the segment, from 0 to 1. */
  readonly share: number
  /** Length of the chord from the given point. */
  readonly square: number
}

/** The square of the chord from the point to the nearest of the segment, lifted to the surface. */
function nearestOfSegment(vertices: Float64Array, from: number, to: number, point: Spot): OnSegment {
  const [a, b] = [spotAt(vertices, from), spotAt(vertices, to)]
  const [dx, dy, dz] = [b.x - a.x, b.y - a.y, b.z - a.z]
  const lengthSquared = dx * dx + dy * dy + dz * dz
  const dot = (point.x - a.x) * dx + (point.y - a.y) * dy + (point.z - a.z) * dz
  const share = lengthSquared === 0 ? 0 : Math.min(1, Math.max(0, dot / lengthSquared))
  const [qx, qy, qz] = [a.x + share * dx, a.y + share * dy, a.z + share * dz]
  const surface = lengthOf(a.x, a.y, a.z) * (1 - share) + lengthOf(b.x, b.y, b.z) * share
  const lift = surface / (lengthOf(qx, qy, qz) || 1)
  const square = (point.x - qx * lift) ** 2 + (point.y - qy * lift) ** 2 + (point.z - qz * lift) ** 2
  return { from, to, share, square }
}

/**
 * The first within a ball that is no farther than `enough`, otherwise the nearest; undefined only for a ball without
 * vertices.
 */
function nearestInBall(
  { vertices, balls }: SpatialLine,
  ball: number,
  point: Spot,
  enough = -1,
): OnSegment | undefined {
  const [first, end] = [balls[ball + 4] ?? 0, balls[ball + 5] ?? 0]
  if (first + 1 >= end) return nearestOfSegment(vertices, first, first, point)
  let best: OnSegment | undefined
  for (let from = first; from + 1 < end; from += 1) {
    const found = nearestOfSegment(vertices, from, from + 1, point)
    if (best === undefined || found.square < best.square) best = found
    if (best.square <= enough) break
  }
  return best
}

const metresOfChord = (chord: number): number =>
  2 * meanRadius * Math.asin(Math.min(1, chord / (2 * meanRadius)))

interface Place {
  readonly lat: number
  readonly lon: number
}

function spotOf({ lat, lon }: Place): Spot {
  const put = new Float64Array(3)
  putSpatial(put, 0, lat, lon)
  return spotAt(put, 0)
}

/** No segment of the ball is nearer than this. */
const minTo = (balls: Float64Array, ball: number, { x, y, z }: Spot): number =>
  lengthOf(x - (balls[ball] ?? 0), y - (balls[ball + 1] ?? 0), z - (balls[ball + 2] ?? 0)) -
  (balls[ball + 3] ?? 0)

/** The nearest of all segments, unless one is nearer than `enough` metres: then any such. */
function nearestOfAll(line: SpatialLine, point: Spot, enough: number): OnSegment | undefined {
  const { balls } = line
  // The most promising one first: then hardly any other must be searched.
  let first = 0
  let minOfAll = Number.POSITIVE_INFINITY
  for (let ball = 0; ball < balls.length; ball += numbersOfBall) {
    const min = minTo(balls, ball, point)
    if (min >= minOfAll) continue
    minOfAll = min
    first = ball
  }
  let best = nearestInBall(line, first, point)
  for (let ball = 0; ball < balls.length; ball += numbersOfBall) {
    if (best !== undefined && best.square < enough * enough) return best
    const min = minTo(balls, ball, point)
    if (best !== undefined && min > 0 && min * min >= best.square) continue
    const found = nearestInBall(line, ball, point)
    if (found && (best === undefined || found.square < best.square)) best = found
  }
  return best
}

/**
 * Metres from the place to the line, within a percent of the geodesic.
 * @param enough metres: nearer than this it is not looked any further, and the answer is anything below.
 */
export const metresToLine = (line: SpatialLine, place: Place, enough: number): number =>
  metresOfChord(Math.sqrt(nearestOfAll(line, spotOf(place), enough)?.square ?? Number.POSITIVE_INFINITY))

/** Nearer than this two passes of a line are the same way: there and back again, say. */
const sameMetres = 1e-4

/** The nearest segment; the first of several, if a line passes the same place again. */
export function nearestSegment(line: SpatialLine, place: Place): OnSegment | undefined {
  const point = spotOf(place)
  const nearest = nearestOfAll(line, point, 0)
  if (nearest === undefined) return undefined
  const enough = (Math.sqrt(nearest.square) + sameMetres) ** 2
  for (let ball = 0; ball < line.balls.length; ball += numbersOfBall) {
    const min = minTo(line.balls, ball, point)
    if (min > 0 && min * min > enough) continue
    const found = nearestInBall(line, ball, point, enough)
    if (found && found.square <= enough) return found
  }
  return nearest
}
