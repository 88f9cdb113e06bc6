// Positions along lines, in miles from the start: the point at a distance, and the distance nearest to a point.
import geographiclib from 'geographiclib-geodesic'
import { atOnce } from '../yielding.ts'
import { metresBetween, metresOfMile } from './measures.ts'
import { countOf, type Line } from './points.ts'
import { nearestSegment, spatialLine, type SpatialLine } from './spatial-line.ts'

/** Lines one after the other, with the miles of each point; a gap between two of them counts nothing, as in C34. */
export interface MeasuredLine {
  readonly lengthMiles: number
  /** Of all points in order. */
  readonly lats: Float64Array
  readonly lons: Float64Array
  /** From the start of the first line. */
  readonly miles: Float64Array
  /** Undefined if there is no point. */
  readonly shape: SpatialLine | undefined
}

interface Place {
  readonly lat: number
  readonly lon: number
}

export interface PlaceOnLine extends Place {
  readonly miles: number
}

export interface NearestOnLine extends PlaceOnLine {
  /** From the given point. */
  readonly metres: number
}

/** Some 2 ms of geodesics. */
const pointsOfStep = 500

/** In steps: about 4 µs per point. Once per trail, since lookups are cheap afterwards. */
export function* measuringLine(lines: readonly Line[]): Generator<undefined, MeasuredLine> {
  const count = lines.reduce((sum, line) => sum + countOf(line), 0)
  const lats = new Float64Array(count)
  const lons = new Float64Array(count)
  const miles = new Float64Array(count)
  let at = 0
  let metres = 0
  for (const { points, first, end } of lines) {
    for (let index = first; index < end; index += 1) {
      if (index > first) metres += metresBetween(points, index - 1, index)
      lats[at] = points.lat(index)
      lons[at] = points.lon(index)
      miles[at] = metres / metresOfMile
      at += 1
      if (at % pointsOfStep === 0) yield
    }
  }
  return { lengthMiles: metres / metresOfMile, lats, lons, miles, shape: yield* spatialLine(lines) }
}

/** All of it in one go. @param lines as the map has them, or `[line]`. */
export const measureLine = (lines: readonly Line[]): MeasuredLine => atOnce(measuringLine(lines))

/** @throws RangeError if the line has no point. */
export function pointAtMiles(line: MeasuredLine, miles: number): PlaceOnLine {
  let [low, high] = [0, line.miles.length - 1]
  if (high < 0) throw new RangeError('the line has no point')
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((line.miles[middle] ?? NaN) < miles) low = middle + 1
    else high = middle
  }
  // The first point at this distance is the end of a leg: the first point of a line is no farther than the one before.
  const from = Math.max(0, low - 1)
  const [start, end] = [line.miles[from] ?? 0, line.miles[low] ?? 0]
  const [lat, lon] = [line.lats[low] ?? NaN, line.lons[low] ?? NaN]
  if (end === start || miles >= end) return { lat, lon, miles: end }
  const beyond = Math.max(0, miles - start)
  const { lat2 = NaN, lon2 = NaN } = wayBetween(line, from, low).Position(beyond * metresOfMile)
  return { lat: lat2, lon: lon2, miles: start + beyond }
}

const { Geodesic } = geographiclib

/** The geodesic from one of the points to another. */
const wayBetween = ({ lats, lons }: MeasuredLine, from: number, to: number) =>
  Geodesic.WGS84.InverseLine(lats[from] ?? NaN, lons[from] ?? NaN, lats[to] ?? NaN, lons[to] ?? NaN)

const meanRadius = 6_371_008.8
/** Each iteration reduces the error to a thousandth, and there is hardly any on a segment of some kilometres. */
const refinements = 2
/** Beyond this distance the exact value does not matter. */
const maxRefinedMetres = 1_000_000

/**
 * The nearest position on the line, along the geodesics between its points; undefined if it has none. If the line
 * passes the same place more than once, the first time counts.
 */
export function nearestOnLine(line: MeasuredLine, point: Place): NearestOnLine | undefined {
  const found = line.shape && nearestSegment(line.shape, point)
  if (!found) return undefined
  const { from, to, share } = found
  const [lat, lon] = [line.lats[from] ?? NaN, line.lons[from] ?? NaN]
  const startMiles = line.miles[from] ?? NaN
  const length = ((line.miles[to] ?? NaN) - startMiles) * metresOfMile
  if (length === 0) {
    const { s12: metres = NaN } = Geodesic.WGS84.Inverse(lat, lon, point.lat, point.lon, Geodesic.DISTANCE)
    return { lat, lon, miles: startMiles, metres }
  }
  const way = wayBetween(line, from, to)
  let along = share * length
  for (let step = 0; ; step += 1) {
    const { lat2 = NaN, lon2 = NaN, azi2: course = NaN } = way.Position(along)
    const { s12: metres = NaN, azi1: bearing = NaN } = Geodesic.WGS84.Inverse(
      lat2,
      lon2,
      point.lat,
      point.lon,
    )
    if (step === refinements || metres > maxRefinedMetres)
      return { lat: lat2, lon: lon2, miles: startMiles + along / metresOfMile, metres }
    // Of the right-angled triangle of the point, the foot of the perpendicular, and the current position.
    const turn = ((bearing - course) * Math.PI) / 180
    const missing = Math.atan(Math.tan(metres / meanRadius) * Math.cos(turn)) * meanRadius
    along = Math.min(length, Math.max(0, along + missing))
  }
}

/** A coordinate between two, for longitudes the shorter way around the globe. */
export function longitudeBetween(from: number, to: number, share: number): number {
  return turned(from + turned(to - from) * share)
}

/** From -180 to 180. */
function turned(degrees: number): number {
  return Math.abs(degrees) <= 180 ? degrees : degrees - 360 * Math.sign(degrees)
}
