// Writes a route as GeoJSON (RFC 7946): its lines cut at the antimeridian, and a point for every waypoint.
import type { SensorName, Sensors } from '../gpx/gpx-details.ts'
import type { GpxWaypoints } from '../gpx/gpx-document.ts'
import type { Box } from './measures.ts'
import { countOf } from './points.ts'
import type { Line, Points } from './points.ts'
import { inChunks } from '../text/text-chunks.ts'

export interface WrittenGeoJson {
  /** Properties of the route's feature: JSON values. */
  readonly properties: Readonly<Record<string, unknown>>
  readonly lines: readonly Line[]
  readonly waypoints?: GpxWaypoints | undefined
  /** By the index of the points of the lines. */
  readonly sensors?: Sensors | undefined
  /** Of the lines; that of the collection also includes the waypoints. */
  readonly box: Box | undefined
}

/**
 * A FeatureCollection in chunks of about 32 KiB, some of them shorter or empty. The first feature is the route: a
 * LineString or, if its line is not just one, a MultiLineString; its geometry is null if no line has two points. Then
 * the waypoints.
 */
export function writeGeoJson(written: WrittenGeoJson): Generator<string, void> {
  return inChunks(textsOf(written))
}

function* textsOf({ properties, lines, waypoints, sensors, box }: WrittenGeoJson): Generator<string, void> {
  const whole = waypoints === undefined ? box : yield* widened(box, waypoints.line)
  const bbox = whole === undefined ? '' : `"bbox":${JSON.stringify(edgesOf(whole))},`
  yield `{"type":"FeatureCollection",${bbox}"features":[`
  yield `{"type":"Feature","properties":${JSON.stringify(properties).slice(0, -1)}`
  yield* pointProperties(lines, sensors ?? new Map(), Object.keys(properties).length === 0 ? '' : ',')
  yield '},"geometry":'
  yield* geometryTexts(lines)
  yield '}'
  if (waypoints !== undefined) yield* waypointTexts(waypoints)
  yield ']}\n'
}

/** How long work without output continues before other requests get their turn: about 1 ms. */
const pointsOfTurn = 16 * 1024

function* geometryTexts(lines: readonly Line[]): Generator<string, void> {
  const [line, second] = yield* firstTwo(lines)
  if (line === undefined) {
    yield 'null'
    return
  }
  const isOne = second === undefined && !(yield* isCut(line))
  yield `{"type":"${isOne ? 'LineString' : 'MultiLineString'}","coordinates":`
  yield* isOne ? lineTexts(line) : coordinateTexts(lines)
  yield '}'
}

function* coordinateTexts(
  lines: readonly Line[],
  textsOfLine: (line: Line) => Iterable<string> = lineTexts,
): Generator<string, void> {
  let separator = '['
  for (const [index, line] of lines.entries()) {
    if (index % pointsOfTurn === pointsOfTurn - 1) yield ''
    if (countOf(line) < 2) continue
    yield separator
    yield* textsOfLine(line)
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}

/** The names under which programs read what devices record; times have the older one, which more of them know. */
const sensorKeys: Readonly<Record<SensorName, string>> = {
  heart: 'heart',
  cadence: 'cadences',
  temperature: 'atemps',
  power: 'powers',
}

/** The values of each position, in arrays of the shape of the coordinates, like togeojson. Nothing without any. */
function* pointProperties(lines: readonly Line[], sensors: Sensors, before: string): Generator<string, void> {
  const hasTimes = yield* isTimed(lines)
  if (!hasTimes && sensors.size === 0) return
  const [line, second] = yield* firstTwo(lines)
  if (line === undefined) return
  const isOne = second === undefined && !(yield* isCut(line))
  const arrays = (valueOf: ValueOf): Iterable<string> =>
    isOne ? valueTexts(line, valueOf) : coordinateTexts(lines, (one) => valueTexts(one, valueOf))
  let separator = before
  if (hasTimes) {
    yield `${separator}"coordTimes":`
    yield* arrays(timeAt)
    separator = ','
  }
  if (sensors.size === 0) return
  yield `${separator}"coordinateProperties":`
  separator = '{'
  for (const [name, valueAt] of sensors) {
    yield `${separator}"${sensorKeys[name]}":`
    yield* arrays((_, index) => (Number.isNaN(valueAt(index)) ? 'null' : String(valueAt(index))))
    separator = ','
  }
  yield '}'
}

/** Of a point of the line, as JSON. */
type ValueOf = (points: Points, index: number) => string

const timeAt: ValueOf = (points, index) => {
  const timeMs = points.timeMs(index)
  return Math.abs(timeMs) <= maxTimeMs ? `"${new Date(timeMs).toISOString()}"` : 'null'
}
const maxTimeMs = 8.64e15

function* isTimed(lines: readonly Line[]): Generator<string, boolean> {
  let untilTurn = pointsOfTurn
  for (const { points, first, end } of lines) {
    for (let index = first; index < end; index += 1) {
      if (!Number.isNaN(points.timeMs(index))) return true
      untilTurn -= 1
      if (untilTurn > 0) continue
      untilTurn = pointsOfTurn
      yield ''
    }
  }
  return false
}

/** As `lineTexts` has the positions: of those that a cut adds nothing is known. */
function* valueTexts(line: Line, valueOf: ValueOf): Generator<string, void> {
  const { points, first, end } = line
  let from = yield* startLon(line)
  yield `[${valueOf(points, first)}`
  for (let index = first + 1; index < end; index += 1) {
    const to = sideOf(points.lon(index), from)
    if (isCrossing(from, to)) yield from === (from < 0 ? -180 : 180) ? '],[null' : ',null],[null'
    yield `,${valueOf(points, index)}`
    from = to
  }
  yield ']'
}

/** Of those that have two points. */
function* firstTwo(lines: readonly Line[]): Generator<string, readonly Line[]> {
  const found: Line[] = []
  for (const [index, line] of lines.entries()) {
    if (index % pointsOfTurn === pointsOfTurn - 1) yield ''
    if (countOf(line) >= 2) found.push(line)
    if (found.length === 2) break
  }
  return found
}

/** One line's positions, in separate brackets for each part between crossings of the antimeridian. */
function* lineTexts(line: Line): Generator<string, void> {
  const { points, first, end } = line
  let from = yield* startLon(line)
  yield `[${position(from, points.lat(first), points.ele(first))}`
  for (let index = first + 1; index < end; index += 1) {
    const to = sideOf(points.lon(index), from)
    if (isCrossing(from, to)) yield cut(points, index, from, to)
    yield `,${position(to, points.lat(index), points.ele(index))}`
    from = to
  }
  yield ']'
}

function position(lon: number, lat: number, ele: number): string {
  return Number.isFinite(ele) ? `[${lon},${lat},${ele}]` : `[${lon},${lat}]`
}

// RFC 7946 section 3.1.9 says that no part of a line may cross the antimeridian. A line goes from point to point the
// shorter way around, as it was drawn or recorded. A point on the antimeridian has two longitudes and gets the one of
// the side that the line comes from: so a line that only touches it is not cut, and no part has only one point.

function isCrossing(from: number, to: number): boolean {
  return Math.abs(to - from) > 180
}

function sideOf(lon: number, from: number): number {
  if (Math.abs(lon) !== 180) return lon
  return from < 0 ? -180 : 180
}

/** For the first point: if it is on the antimeridian, on the side that the line goes to. */
function* startLon({ points, first, end }: Line): Generator<string, number> {
  const lon = points.lon(first)
  if (Math.abs(lon) !== 180) return lon
  for (let index = first + 1; index < end; index += 1) {
    const next = points.lon(index)
    if (Math.abs(next) !== 180) return sideOf(lon, next)
    if (index % pointsOfTurn === 0) yield ''
  }
  return lon
}

function* isCut(line: Line): Generator<string, boolean> {
  const { points, first, end } = line
  let from = yield* startLon(line)
  for (let index = first + 1; index < end; index += 1) {
    const to = sideOf(points.lon(index), from)
    if (isCrossing(from, to)) return true
    from = to
    if (index % pointsOfTurn === 0) yield ''
  }
  return false
}

/** Ends one part on the antimeridian and begins the next on its other side. */
function cut(points: Points, index: number, from: number, to: number): string {
  const edge = from < 0 ? -180 : 180
  const share = (edge - from) / (to + 2 * edge - from)
  const [lat, ele] = [points.lat, points.ele].map((value) => between(value(index - 1), value(index), share))
  const isThere = from === edge
  const ending = isThere ? '' : `,${position(edge, lat ?? NaN, ele ?? NaN)}`
  return `${ending}],[${position(-edge, lat ?? NaN, ele ?? NaN)}`
}

/** To nine decimals, a tenth of a millimetre, so that no error of rounding leads past a pole. */
function between(start: number, end: number, share: number): number {
  return share === 0 ? start : Math.round((start + (end - start) * share) * 1e9) / 1e9
}

/** For a waypoint: its name and details, by their GPX names, and its time. */
function waypointProperties({ line, names, details }: GpxWaypoints, index: number): object {
  const name = names.get(index)
  const { links = [], ...words } = details?.get(index - line.first) ?? {}
  const timeMs = line.points.timeMs(index)
  return {
    ...(name === undefined ? {} : { name }),
    ...words,
    ...(Math.abs(timeMs) <= maxTimeMs ? { time: new Date(timeMs).toISOString() } : {}),
    ...(links.length === 0 ? {} : { links: links.map((href) => ({ href })) }),
  }
}

function* waypointTexts(waypoints: GpxWaypoints): Generator<string, void> {
  const { line } = waypoints
  const { points, first, end } = line
  for (let index = first; index < end; index += 1) {
    const properties = JSON.stringify(waypointProperties(waypoints, index))
    const coordinates = position(points.lon(index), points.lat(index), points.ele(index))
    yield `,\n{"type":"Feature","properties":${properties},"geometry":{"type":"Point","coordinates":${coordinates}}}`
  }
}

function edgesOf({ west, south, east, north }: Box): number[] {
  return [west, south, east, north]
}

/** The box with the waypoints in it: each widens it on the side that it is nearer to. */
function* widened(box: Box | undefined, { points, first, end }: Line): Generator<string, Box | undefined> {
  if (first === end) return box
  const [lat, lon] = [points.lat(first), points.lon(first)]
  const wide = { west: lon, south: lat, east: lon, north: lat, ...box }
  for (let index = first; index < end; index += 1) {
    wide.south = Math.min(wide.south, points.lat(index))
    wide.north = Math.max(wide.north, points.lat(index))
    if (index % pointsOfTurn === pointsOfTurn - 1) yield ''
    const next = points.lon(index)
    const [isEastOfWest, isWestOfEast] = [next >= wide.west, next <= wide.east]
    const isInside = wide.west > wide.east ? isEastOfWest || isWestOfEast : isEastOfWest && isWestOfEast
    if (isInside) continue
    const [eastward, westward] = [(next - wide.east + 360) % 360, (wide.west - next + 360) % 360]
    if (eastward < westward) wide.east = next
    else wide.west = next
  }
  return wide
}
