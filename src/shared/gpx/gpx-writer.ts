// Writes a GPX 1.1 document that the schema allows, whatever was read: positions, heights, times, names, and what a
// waypoint and a sensor say. What else a stored document has, `rewritingGpx` keeps.
import type { SensorName, Sensors, WaypointDetails } from './gpx-details.ts'
import type { GpxRoute, GpxTrack, GpxWaypoints } from './gpx-document.ts'
import { gpx11 } from './gpx-elements.ts'
import { addressText, decimal, escapeAttribute, escapeText } from './gpx-text.ts'
import type { Line } from '../geo/points.ts'
import { inChunks } from '../text/text-chunks.ts'

/** What a document is written of; a whole `Gpx` has the last three. */
export interface WrittenGpx {
  readonly name: string
  /** May be empty, as the name may: then neither is written. */
  readonly description: string
  /** The program that writes it. */
  readonly creator: string
  /** Where the route is to be seen: an absolute address. */
  readonly link?: string
  readonly waypoints?: GpxWaypoints
  readonly routes: readonly GpxRoute[]
  readonly tracks: readonly GpxTrack[]
  /** By the index of the points of the lines. */
  readonly sensors?: Sensors
}

/**
 * The document in pieces of some 32 KiB. Two values are written in another form than they were read in: longitude
 * 180 as -180, for the schema ends before it, and a number below a millionth to 20 decimals at most. A time that is
 * not of the years 1 to 9999 is left out.
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
    const said = waypoints === undefined ? '' : aboutWaypoint(waypoints, index)
    const content =
      eleElement(points.ele(index)) + timeElement(points.timeMs(index)) + said + sensorTexts(sensors, index)
    yield content === '' ? `${start}/>\n` : `${start}>${content}</${tag}>\n`
  }
}

export const startOfPoint = (tag: string, lat: number, lon: number): string =>
  `<${tag} lat="${decimal(lat)}" lon="${lon === 180 ? '-180' : decimal(lon)}"`

export const eleElement = (ele: number): string => (Number.isFinite(ele) ? `<ele>${decimal(ele)}</ele>` : '')

/** XSD 1.0 has no year 0, and five digits are read by few. */
const firstMs = Date.parse('0001-01-01T00:00:00Z')
const lastMs = Date.parse('9999-12-31T23:59:59.999Z')

/** Nothing where the time is absent (NaN) or none that the schema has. */
export function timeElement(timeMs: number): string {
  if (!(timeMs >= firstMs && timeMs <= lastMs)) return ''
  const moment = new Date(timeMs).toISOString()
  return `<time>${moment.endsWith('.000Z') ? `${moment.slice(0, -5)}Z` : moment}</time>`
}

function aboutWaypoint({ names, details }: GpxWaypoints, index: number): string {
  const { cmt, desc, sym, type, links = [] }: WaypointDetails = details?.get(index) ?? {}
  const addresses = links.map((href) => `<link href="${escapeAttribute(addressText(href))}"/>`).join('')
  const before = element('name', names.get(index)) + element('cmt', cmt) + element('desc', desc)
  return before + addresses + element('sym', sym) + element('type', type)
}

const sensorNamespaces =
  ' xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v1" xmlns:gpxpx="http://www.garmin.com/xmlschemas/PowerExtension/v1"'

/** As Garmin has defined them and most programs read them, in the order of its schema. */
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

/** Nothing for a text that says nothing. */
function element(name: 'name' | 'cmt' | 'desc' | 'sym' | 'type', text: string | undefined): string {
  return text === undefined || text.trim() === '' ? '' : `<${name}>${escapeText(text)}</${name}>`
}
