// Data that an owner shares beyond the lines, in stored form: only of points and waypoints that no zone hides.
import {
  sensorNames,
  type GpxDetails,
  type SensorName,
  type Sensors,
  type WaypointDetails,
} from '../../shared/gpx/gpx-details.ts'
import type { Gpx, GpxWaypoints } from '../../shared/gpx/gpx-document.ts'
import { createPoints, type Line } from '../../shared/geo/points.ts'
import { inChunks, withTurns } from '../../shared/text/text-chunks.ts'
import type { RouteShare } from '../../shared/v2/route-shares.ts'
import { runYielding } from '../../shared/yielding.ts'
import { packBytes, unpackBytes } from '../gpx/packed.ts'
import { createHole, createSpot, isInside, setSpot } from '../zones/holes.ts'
import type { Circle } from '../zones/zone-circle.ts'

export interface Shared {
  /** Milliseconds since 1970, by the index of the visible point; NaN if it has none. */
  readonly times: ((index: number) => number) | undefined
  readonly waypoints: GpxWaypoints | undefined
  readonly sensors: Sensors
}

interface StoredWaypoint {
  readonly lat: number
  readonly lon: number
  readonly ele?: number
  readonly timeMs?: number
  readonly name?: string
  readonly details?: WaypointDetails
}

interface Header {
  readonly pointCount: number
  /** In the order of the columns: `times`, or a sensor. */
  readonly columns: readonly string[]
  /** Each on a line of its own; older versions wrote everything in one line. */
  readonly waypoints?: readonly StoredWaypoint[]
}

/** About 2 ms of work: a document may have 380,000 waypoints. */
const waypointsOfStep = 1_000

export interface SharedOf {
  readonly gpx: Gpx
  readonly details: GpxDetails
  readonly shares: readonly RouteShare[]
  readonly circles: readonly Circle[]
  /** The public lines, and for each of their points its index in the document. */
  readonly lines: readonly Line[]
  readonly origins: (index: number) => number
}

/**
 * Without the links of waypoints, which may lead to private content; and without their times unless times are shared.
 * Undefined only separates two steps.
 */
function* waypointsOf({
  gpx,
  details,
  shares,
  circles,
}: SharedOf): Generator<StoredWaypoint | undefined, void> {
  const { line, names } = gpx.waypoints
  const holes = circles.map(createHole)
  const spot = createSpot()
  for (let index = line.first; index < line.end; index += 1) {
    if (index % waypointsOfStep === waypointsOfStep - 1) yield undefined
    const [lat, lon] = [line.points.lat(index), line.points.lon(index)]
    setSpot(spot, lat, lon)
    if (isInside(spot, holes)) continue
    const [ele, timeMs] = [line.points.ele(index), line.points.timeMs(index)]
    const name = names.get(index)
    const found = details.waypoints.get(index - line.first)
    const { links: _, ...kept } = found ?? {}
    yield {
      lat,
      lon,
      ...(Number.isNaN(ele) ? {} : { ele }),
      ...(shares.includes('times') && !Number.isNaN(timeMs) ? { timeMs } : {}),
      ...(name === undefined ? {} : { name }),
      ...(Object.keys(kept).length === 0 ? {} : { details: kept }),
    }
  }
}

function* headerTexts(
  header: Header,
  waypoints: Iterable<StoredWaypoint | undefined>,
): Generator<string, void> {
  yield `${JSON.stringify(header).slice(0, -1)},"waypoints":[`
  let separator = '\n'
  for (const waypoint of waypoints) {
    if (waypoint === undefined) {
      yield ''
      continue
    }
    yield separator + JSON.stringify(waypoint)
    separator = ',\n'
  }
  yield '\n]}'
}

async function writeHeader(header: Header, of: SharedOf): Promise<Buffer> {
  if (!of.shares.includes('waypoints')) return Buffer.from(JSON.stringify(header))
  const chunks: Buffer[] = []
  for await (const chunk of withTurns(inChunks(headerTexts(header, waypointsOf(of)))))
    chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

/** Length of the header. */
const lengthBytes = 8

export async function packShared(of: SharedOf): Promise<Uint8Array> {
  const { gpx, details, shares, lines, origins } = of
  const points = lines[0]?.points
  const pointCount = lines.reduce((sum, { first, end }) => sum + end - first, 0)
  const source =
    gpx.routes[0]?.line.points ?? gpx.tracks.find(({ segments }) => segments.length > 0)?.segments[0]?.points
  const columns: [name: string, valueOf: (index: number) => number][] = []
  /**
   * Whether any visible point has a value: otherwise the column's name would reveal something about hidden points.
   */
  const isShown = (valueOf: (index: number) => number): boolean => {
    if (points === undefined) return false
    for (const { first, end } of lines)
      for (let index = first; index < end; index += 1) if (!Number.isNaN(valueOf(origins(index)))) return true
    return false
  }
  if (shares.includes('times') && source !== undefined && isShown(source.timeMs))
    columns.push(['times', source.timeMs])
  if (shares.includes('sensors'))
    for (const [name, valueOf] of details.sensors) if (isShown(valueOf)) columns.push([name, valueOf])
  const text = await writeHeader({ pointCount, columns: columns.map(([name]) => name) }, of)
  const numbers = new Float64Array(columns.length * pointCount)
  let at = 0
  for (const [, valueOf] of columns)
    for (const { first, end } of points === undefined ? [] : lines)
      for (let index = first; index < end; index += 1) {
        numbers[at] = valueOf(origins(index))
        at += 1
      }
  const length = Buffer.alloc(lengthBytes)
  length.writeDoubleLE(text.length)
  return packBytes(Buffer.concat([length, text, Buffer.from(numbers.buffer)]))
}

const isSensor = (name: string): name is SensorName => sensorNames.some((sensor) => sensor === name)

function createWaypoints() {
  const points = createPoints()
  const names = new Map<number, string>()
  const details = new Map<number, WaypointDetails>()
  return {
    add({ lat, lon, ele, timeMs, name, details: pointDetails }: StoredWaypoint): void {
      const index = points.count
      points.add(lat, lon)
      if (ele !== undefined) points.setEle(ele)
      if (timeMs !== undefined) points.setTimeMs(timeMs)
      if (name !== undefined) names.set(index, name)
      if (pointDetails !== undefined) details.set(index, pointDetails)
    },
    all: (): GpxWaypoints => ({ line: { points, first: 0, end: points.count }, names, details }),
  }
}

const [lineFeed, comma, bracket] = [10, 44, 93]

/** In steps. */
function* readingHeader(
  bytes: Buffer,
): Generator<undefined, Omit<Header, 'waypoints'> & { readonly waypoints: GpxWaypoints | undefined }> {
  const lineEnd = bytes.indexOf(lineFeed)
  const isInLines = lineEnd >= 0
  const first = isInLines ? `${bytes.toString('utf8', 0, lineEnd)}]}` : bytes.toString()
  const header = JSON.parse(first) as Header
  if (header.waypoints === undefined) return { ...header, waypoints: undefined }
  const waypoints = createWaypoints()
  header.waypoints.forEach(waypoints.add)
  let at = isInLines ? lineEnd + 1 : bytes.length
  for (let count = 1; at < bytes.length && bytes[at] !== bracket; count += 1) {
    const end = bytes.indexOf(lineFeed, at)
    const text = bytes.toString('utf8', at, bytes[end - 1] === comma ? end - 1 : end)
    waypoints.add(JSON.parse(text) as StoredWaypoint)
    at = end + 1
    if (count % waypointsOfStep === 0) yield
  }
  return { ...header, waypoints: waypoints.all() }
}

/** @throws refusal `storage-unavailable` for damaged data. */
export async function unpackShared(packed: Uint8Array): Promise<Shared> {
  const bytes = await unpackBytes(packed)
  const headerEnd = lengthBytes + bytes.readDoubleLE(0)
  const header = await runYielding(readingHeader(bytes.subarray(lengthBytes, headerEnd)))
  const numbers = new Float64Array(
    bytes.buffer.slice(bytes.byteOffset + headerEnd, bytes.byteOffset + bytes.length),
  )
  const { pointCount, columns, waypoints } = header
  const valueOf = (place: number) => {
    const column = numbers.subarray(place * pointCount, (place + 1) * pointCount)
    return (index: number): number => column[index] ?? NaN
  }
  const sensors = new Map<SensorName, (index: number) => number>()
  for (const [place, name] of columns.entries()) if (isSensor(name)) sensors.set(name, valueOf(place))
  const times = columns.indexOf('times')
  return {
    times: times < 0 ? undefined : valueOf(times),
    waypoints,
    sensors,
  }
}
