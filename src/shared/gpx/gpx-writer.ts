// Writes a valid GPX 1.1 document, whatever was read: positions, elevations, times, names, and details of waypoints
// and sensors. To preserve everything else in a stored document, use `rewritingGpx`.
import type { SensorName, Sensors, WaypointDetails } from './gpx-details.ts'
import type { GpxRoute, GpxTrack, GpxWaypoints } from './gpx-document.ts'
import { gpx11 } from './gpx-elements.ts'
import { addressText, decimal, escapeAttribute, escapeText } from './gpx-text.ts'
import type { Line } from '../geo/points.ts'
import { inChunks } from '../text/text-chunks.ts'

/** The content of a document; a whole `Gpx` has the last three. */
export interface WrittenGpx {
  readonly name: string
  /** May be empty, as may the name: then it is not written. */
  readonly description: string
  /** The program that writes it. */
  readonly creator: string
  /** Absolute URL of the route's page. */
  readonly link?: string
  readonly waypoints?: GpxWaypoints
  readonly routes: readonly GpxRoute[]
  readonly tracks: readonly GpxTrack[]
  /** By the index of the point. */
  readonly sensors?: Sensors
}

/**
 * The document in chunks of about 32 KiB. Two kinds of value change their form: longitude 180 becomes -180, because
 * the schema excludes 180, and numbers below a millionth have at most 20 decimals. A time outside the years 1 to 9999
 * is omitted.
 */
export function writeGpx(document: WrittenGpx): Generator<string, void> {
  return inChunks(textsOf(document))
}

function* textsOf(written: WrittenGpx) {
  const { name, description, creator, link, waypoints, routes, tracks, sensors } = written
  const declarations = sensors === undefined || sensors.size === 0 ? '' : sensorNamespaces
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="${escapeAttribute(creator)}" xmlns="${gpx11}"${declarations}>\n`
  const href = link === undefined ? '' : `<link href="${escapeAttribute(link)}"/>`
  const metadata = `${element('name', name)}${element('desc', description)}${href}`
  if (metadata !== '') yield `<metadata>${metadata}</metadata>\n`
  if (waypoints !== undefined) yield* pointsOf('wpt', waypoints.line, { waypoints })
  for (const { name: routeName, line } of routes) {
    yield `<rte>${element('name', routeName)}\n`
    yield* pointsOf('rtept', line, { sensors })
    yield '</rte>\n'
  }
  for (const { name: trackName, segments } of tracks) {
    yield `<trk>${element('name', trackName)}\n`
    for (const segment of segments) {
      yield '<trkseg>\n'
      yield* pointsOf('trkpt', segment, { sensors })
      yield '</trkseg>\n'
    }
    yield '</trk>\n'
  }
  yield '</gpx>\n'
}

function* pointsOf(
  tag: 'wpt' | 'rtept' | 'trkpt',
  { points, first, end }: Line,
  { waypoints, sensors }: { readonly waypoints?: GpxWaypoints; readonly sensors?: Sensors | undefined },
): Generator<string, void> {
  for (let index = first; index < end; index += 1) {
    const start = startOfPoint(tag, points.lat(index), points.lon(index))
    const waypointText = waypoints === undefined ? '' : aboutWaypoint(waypoints, index)
    const content =
      eleElement(points.ele(index)) +
      timeElement(points.timeMs(index)) +
      waypointText +
      sensorTexts(sensors, index)
    yield content === '' ? `${start}/>\n` : `${start}>${content}</${tag}>\n`
  }
}

export const startOfPoint = (tag: string, lat: number, lon: number): string =>
  `<${tag} lat="${decimal(lat)}" lon="${lon === 180 ? '-180' : decimal(lon)}"`

export const eleElement = (ele: number): string => (Number.isFinite(ele) ? `<ele>${decimal(ele)}</ele>` : '')

/** XSD 1.0 has no year 0, and few readers accept five digits. */
const firstMs = Date.parse('0001-01-01T00:00:00Z')
const lastMs = Date.parse('9999-12-31T23:59:59.999Z')

/** Empty if the time is missing (NaN) or the schema cannot represent it. */
export function timeElement(timeMs: number): string {
  if (!(timeMs >= firstMs && timeMs <= lastMs)) return ''
  const timestamp = new Date(timeMs).toISOString()
  return `<time>${timestamp.endsWith('.000Z') ? `${timestamp.slice(0, -5)}Z` : timestamp}</time>`
}

function aboutWaypoint({ names, details }: GpxWaypoints, index: number): string {
  const { cmt, desc, sym, type, links = [] }: WaypointDetails = details?.get(index) ?? {}
  const addresses = links.map((href) => `<link href="${escapeAttribute(addressText(href))}"/>`).join('')
  const before = element('name', names.get(index)) + element('cmt', cmt) + element('desc', desc)
  return before + addresses + element('sym', sym) + element('type', type)
}

const sensorNamespaces =
  ' xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v1" xmlns:gpxpx="http://www.garmin.com/xmlschemas/PowerExtension/v1"'

/** As defined by Garmin and read by most programs, in the order of its schema. */
function sensorTexts(sensors: Sensors | undefined, index: number): string {
  if (sensors === undefined || sensors.size === 0) return ''
  const value = (tag: string, name: SensorName): string => {
    const read = sensors.get(name)?.(index) ?? NaN
    return Number.isNaN(read) ? '' : `<${tag}>${decimal(read)}</${tag}>`
  }
  const track =
    value('gpxtpx:atemp', 'temperature') + value('gpxtpx:hr', 'heart') + value('gpxtpx:cad', 'cadence')
  const power = value('gpxpx:PowerInWatts', 'power')
  const content =
    (track === '' ? '' : `<gpxtpx:TrackPointExtension>${track}</gpxtpx:TrackPointExtension>`) +
    (power === '' ? '' : `<gpxpx:PowerExtension>${power}</gpxpx:PowerExtension>`)
  return content === '' ? '' : `<extensions>${content}</extensions>`
}

/** Empty for blank text. */
function element(name: 'name' | 'cmt' | 'desc' | 'sym' | 'type', text: string | undefined): string {
  return text === undefined || text.trim() === '' ? '' : `<${name}>${escapeText(text)}</${name}>`
}
