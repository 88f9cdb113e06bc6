// How far a place is from the line of a trail, on the ellipsoid: anywhere on earth, over the antimeridian and at the poles.

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

type Part = readonly (readonly [lon: number, lat: number])[]

function isPosition(value: unknown): value is [number, number] {
  return Array.isArray(value) && Number.isFinite(value[0]) && Number.isFinite(value[1])
}

const partOf = (value: unknown): Part => (Array.isArray(value) ? value.filter(isPosition) : [])

function partsOf(geometry: unknown): Part[] {
  if (typeof geometry !== 'object' || geometry === null || !('type' in geometry)) return []
  const coordinates = 'coordinates' in geometry ? geometry.coordinates : undefined
  if (geometry.type === 'LineString') return [partOf(coordinates)]
  if (geometry.type !== 'MultiLineString' || !Array.isArray(coordinates)) return []
  return coordinates.map(partOf)
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

/** Undefined where the geometry holds no vertex. Yields now and then. @param geometry GeoJSON, a LineString or MultiLineString. */
export function* spatialLine(geometry: unknown): Generator<undefined, SpatialLine | undefined> {
  const parts = partsOf(geometry).filter(({ length }) => length > 0)
  const count = parts.reduce((sum, { length }) => sum + length, 0)
  if (count === 0) return undefined
  const vertices = new Float64Array(count * 3)
  const balls: number[] = []
  let at = 0
  for (const part of parts) {
    const first = at
    for (const [lon, lat] of part) {
      putSpatial(vertices, at * 3, lat, lon)
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

/** The square of the chord from the point to the nearest of the segment, lifted to the surface. */
function squareToSegment(a: Spot, b: Spot, point: Spot): number {
  const [dx, dy, dz] = [b.x - a.x, b.y - a.y, b.z - a.z]
  const lengthSquared = dx * dx + dy * dy + dz * dz
  const dot = (point.x - a.x) * dx + (point.y - a.y) * dy + (point.z - a.z) * dz
  const share = lengthSquared === 0 ? 0 : Math.min(1, Math.max(0, dot / lengthSquared))
  const [qx, qy, qz] = [a.x + share * dx, a.y + share * dy, a.z + share * dz]
  const surface = lengthOf(a.x, a.y, a.z) * (1 - share) + lengthOf(b.x, b.y, b.z) * share
  const lift = surface / (lengthOf(qx, qy, qz) || 1)
  return (point.x - qx * lift) ** 2 + (point.y - qy * lift) ** 2 + (point.z - qz * lift) ** 2
}

/** The least of the squares to the segments of a ball. */
function squareInBall({ vertices, balls }: SpatialLine, ball: number, point: Spot): number {
  const [first, end] = [balls[ball + 4] ?? 0, balls[ball + 5] ?? 0]
  let from = spotAt(vertices, first)
  if (first + 1 >= end) return squareToSegment(from, from, point)
  let best = Number.POSITIVE_INFINITY
  for (let index = first + 1; index < end; index += 1) {
    const to = spotAt(vertices, index)
    best = Math.min(best, squareToSegment(from, to, point))
    from = to
  }
  return best
}

const metresOfChord = (chord: number): number =>
  2 * meanRadius * Math.asin(Math.min(1, chord / (2 * meanRadius)))

/**
 * Metres from the place to the line, within a percent of the geodesic.
 * @param enough metres: nearer than this it is not looked any further, and the answer is anything below.
 */
export function metresToLine(
  line: SpatialLine,
  place: { readonly latitude: number; readonly longitude: number },
  enough: number,
): number {
  const { balls } = line
  const put = new Float64Array(3)
  putSpatial(put, 0, place.latitude, place.longitude)
  const point = spotAt(put, 0)
  /** No segment of the ball is nearer than this. */
  const minTo = (ball: number): number =>
    lengthOf(
      point.x - (balls[ball] ?? 0),
      point.y - (balls[ball + 1] ?? 0),
      point.z - (balls[ball + 2] ?? 0),
    ) - (balls[ball + 3] ?? 0)
  // The most promising one first: then hardly any other has to be looked into.
  let first = 0
  let minOfAll = Number.POSITIVE_INFINITY
  for (let ball = 0; ball < balls.length; ball += numbersOfBall) {
    const least = minTo(ball)
    if (least >= minOfAll) continue
    minOfAll = least
    first = ball
  }
  let best = squareInBall(line, first, point)
  for (let ball = 0; ball < balls.length && best >= enough * enough; ball += numbersOfBall) {
    const least = minTo(ball)
    if (least <= 0 || least * least < best) best = Math.min(best, squareInBall(line, ball, point))
  }
  return metresOfChord(Math.sqrt(best))
}
