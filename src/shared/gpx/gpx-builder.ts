// Builds a Gpx from elements as they open and close. Knows the GPX schema, but nothing of XML.
import type { Gpx, GpxRoute, GpxTrack } from './gpx-document.ts'
import { gpx10, gpx11, isContainer, isPoint, isRead, placeIn } from './gpx-elements.ts'
import type { Container } from './gpx-elements.ts'
import { readGpxTimestamp, readGpxNumber } from './gpx-values.ts'
import type { GpxWarnings } from './gpx-warnings.ts'
import { createPoints } from '../geo/points.ts'
import type { Line } from '../geo/points.ts'
import { clip } from '../xml/xml-names.ts'

export interface GpxElement {
  /** Without its prefix. */
  readonly name: string
  /** '' for none; undefined if its prefix is not declared. */
  readonly namespace: string | undefined
  readonly attributes: Readonly<Record<string, string>>
  readonly line: number
}

export interface GpxBuilder {
  /** Why the document is not GPX: a sentence without its full stop. */
  readonly open: (element: GpxElement) => string | undefined
  readonly close: () => void
  /** Whether the text of the innermost element is wanted. */
  readonly wantsText: () => boolean
  readonly text: (chunk: string) => void
  readonly value: () => Gpx
}

interface Frame {
  readonly container: Container
  /** Position of the last child in the schema's order. */
  place: number
}

const noSegments: readonly Line[] = []
/** Shared empty objects, since a document may contain a million of them. */
const emptyTrack: GpxTrack = { name: undefined, segments: noSegments }

export function createGpxBuilder(warnings: GpxWarnings): GpxBuilder {
  const points = createPoints()
  const waypointPoints = createPoints()
  const waypointNames = new Map<number, string>()
  const emptyLine: Line = { points, first: 0, end: 0 }
  const emptyRoute: GpxRoute = { name: undefined, line: emptyLine }
  const routes: GpxRoute[] = []
  const tracks: GpxTrack[] = []
  const counts = { waypoints: 0, routes: 0, routePoints: 0, tracks: 0, segments: 0, trackPoints: 0 }

  let version: string | undefined
  let creator: string | undefined
  let rootNamespace = ''
  let documentName: string | undefined
  /** Name of the open rte or trk. */
  let lineName: string | undefined
  let first = 0
  let segments: Line[] = []

  const frames: Frame[] = []
  /** Depth within an ignored element. */
  let skipped = 0
  let reading: { readonly element: 'name' | 'ele' | 'time'; readonly line: number; text: string } | undefined

  const openRoot = ({ name, namespace, attributes, line }: GpxElement): string | undefined => {
    if (name !== 'gpx' || namespace === undefined) return `The root element is ${clip(name)}, not gpx`
    ;({ version, creator } = attributes)
    rootNamespace = namespace
    if (version === undefined) warnings.add('no-version', line, name)
    else if (version !== '1.0' && version !== '1.1') warnings.add('other-version', line, name)
    if (creator === undefined) warnings.add('no-creator', line, name)
    if (namespace === '') warnings.add('no-namespace', line, name)
    else if (namespace !== gpx10 && namespace !== gpx11) warnings.add('other-namespace', line, name)
    frames.push({ container: 'gpx', place: 0 })
    return undefined
  }

  const isOurs = (namespace: string | undefined): boolean =>
    namespace === rootNamespace || namespace === '' || namespace === gpx10 || namespace === gpx11

  /** The position of a point, or what is wrong with it. */
  const positionOf = ({ name, attributes, line }: GpxElement): { lat: number; lon: number } | string => {
    const lat = readCoordinate('lat', attributes['lat'], 90)
    if (typeof lat === 'string') return lat
    const lon = readCoordinate('lon', attributes['lon'], 180)
    if (typeof lon === 'string') return lon
    if (lat.hasExponent || lon.hasExponent) warnings.add('number-with-exponent', line, name)
    return { lat: lat.value, lon: lon.value }
  }

  const openContainer = (container: Container): void => {
    frames.push({ container, place: 0 })
    if (container === 'rte' || container === 'trk') lineName = undefined
    if (container === 'rte' || container === 'trkseg') first = points.count
    if (container === 'trk') segments = []
  }

  const addPoint = (name: 'wpt' | 'rtept' | 'trkpt', lat: number, lon: number): void => {
    if (name === 'wpt') {
      waypointPoints.add(lat, lon)
      counts.waypoints += 1
      return
    }
    points.add(lat, lon)
    if (name === 'rtept') counts.routePoints += 1
    else counts.trackPoints += 1
  }

  const closeContainer = (container: Container): void => {
    const line = points.count === first ? emptyLine : { points, first, end: points.count }
    if (container === 'trkseg') {
      segments.push(line)
      counts.segments += 1
    } else if (container === 'rte') {
      routes.push(lineName === undefined && line === emptyLine ? emptyRoute : { name: lineName, line })
      counts.routes += 1
    } else if (container === 'trk') {
      const own = segments.length === 0 ? noSegments : withoutRoom(segments)
      tracks.push(
        lineName === undefined && own === noSegments ? emptyTrack : { name: lineName, segments: own },
      )
      counts.tracks += 1
    }
  }

  const keep = (element: 'name' | 'ele' | 'time', line: number, text: string): void => {
    const container = frames.at(-1)?.container ?? 'gpx'
    const target = container === 'wpt' ? waypointPoints : points
    if (element === 'ele') {
      const ele = readGpxNumber(text)
      if (ele === undefined || Math.abs(ele.value) > maxElevationMetres) {
        return warnings.add('unreadable-elevation', line, element)
      }
      if (ele.hasExponent) warnings.add('number-with-exponent', line, element)
      return target.setEle(ele.value)
    }
    if (element === 'time') {
      const time = readGpxTimestamp(text)
      if (time === undefined) return warnings.add('unreadable-time', line, element)
      if (!time.hasZone) warnings.add('time-without-zone', line, element)
      return target.setTimeMs(time.timeMs)
    }
    const name = text.trim()
    if (name === '') return undefined
    if (container === 'wpt') waypointNames.set(waypointPoints.count - 1, name)
    else if (container === 'gpx' || container === 'metadata') documentName = name
    else lineName = name
    return undefined
  }

  return {
    open(element) {
      const { name, namespace, line } = element
      if (skipped > 0 || reading !== undefined) {
        skipped += 1
        return undefined
      }
      const parent = frames.at(-1)
      if (parent === undefined) return openRoot(element)
      if (!isOurs(namespace)) {
        // GPX 1.0 has no extensions element: there, foreign elements belong here.
        const isWarned = namespace !== undefined && version !== '1.0'
        if (isWarned) warnings.add('foreign-element', line, clip(name))
        skipped = 1
        return undefined
      }

      const position = isPoint(name) ? positionOf(element) : undefined
      if (typeof position === 'string') return position
      const place = placeIn(parent.container, name)
      if (place === undefined) {
        warnings.add('unknown-element', line, clip(name))
        skipped = 1
        return undefined
      }
      if (place < parent.place) warnings.add('element-order', line, name)
      else parent.place = place

      if (isRead(parent.container, name)) reading = { element: name, line, text: '' }
      else if (isContainer(name)) {
        openContainer(name)
        if (isPoint(name) && position !== undefined) addPoint(name, position.lat, position.lon)
      } else skipped = 1
      return undefined
    },
    close() {
      if (skipped > 0) {
        skipped -= 1
        return
      }
      if (reading !== undefined) {
        const { element, line, text } = reading
        reading = undefined
        keep(element, line, text)
        return
      }
      const frame = frames.pop()
      if (frame !== undefined) closeContainer(frame.container)
    },
    wantsText: () => reading !== undefined && skipped === 0,
    text(chunk) {
      if (reading !== undefined && skipped === 0) reading.text += chunk
    },
    value: () => ({
      version,
      creator,
      name: documentName,
      waypoints: {
        line: { points: waypointPoints, first: 0, end: waypointPoints.count },
        names: waypointNames,
      },
      routes,
      tracks,
      counts,
      warnings: warnings.all(),
    }),
  }
}

/** A short array that was grown has unused capacity, and a document may contain 400,000 of them. */
function withoutRoom<T>(grown: T[]): readonly T[] {
  return grown.length < 32 ? grown.slice() : grown
}

/** Above any altitude at which GPX is recorded, and low enough for sums. */
export const maxElevationMetres = 100_000

function readCoordinate(
  attribute: 'lat' | 'lon',
  text: string | undefined,
  max: number,
): { readonly value: number; readonly hasExponent: boolean } | string {
  if (text === undefined) return `The point has no ${attribute}`
  const number = readGpxNumber(text)
  if (number === undefined) return `The ${attribute} of the point is not a number`
  if (Math.abs(number.value) > max) return `The ${attribute} of the point is not from -${max} to ${max}`
  return number
}
