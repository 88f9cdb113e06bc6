// Writes a GPX 1.1 document that the schema allows, whatever was read: positions, heights, times and names, no more.
import { replaceForbidden } from '../text/characters.ts'
import type { GpxRoute, GpxTrack, GpxWaypoints } from './gpx-document.ts'
import { gpx11 } from './gpx-elements.ts'
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
}

/**
 * The document in pieces of some 32 KiB. Two values are written in another form than they were read in: longitude
 * 180 as -180, for the schema ends before it, and a number below a millionth to 20 decimals at most. A time that is
 * not of the years 1 to 9999 is left out.
 */
export function writeGpx(document: WrittenGpx): Generator<string, void> {
  return inChunks(textsOf(document))
}

function* textsOf({ name, description, creator, link, waypoints, routes, tracks }: WrittenGpx) {
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="${escape(creator)}" xmlns="${gpx11}">\n`
  const href = link === undefined ? '' : `<link href="${escape(link)}"/>`
  const metadata = `${element('name', name)}${element('desc', description)}${href}`
  if (metadata !== '') yield `<metadata>${metadata}</metadata>\n`
  if (waypoints !== undefined) yield* pointsOf('wpt', waypoints.line, waypoints.names)
  for (const { name: routeName, line } of routes) {
    yield `<rte>${element('name', routeName)}\n`
    yield* pointsOf('rtept', line)
    yield '</rte>\n'
  }
  for (const { name: trackName, segments } of tracks) {
    yield `<trk>${element('name', trackName)}\n`
    for (const segment of segments) {
      yield '<trkseg>\n'
      yield* pointsOf('trkpt', segment)
      yield '</trkseg>\n'
    }
    yield '</trk>\n'
  }
  yield '</gpx>\n'
}

function* pointsOf(
  tag: 'wpt' | 'rtept' | 'trkpt',
  { points, first, end }: Line,
  names?: ReadonlyMap<number, string>,
): Generator<string, void> {
  for (let index = first; index < end; index += 1) {
    const lon = points.lon(index)
    const start = `<${tag} lat="${decimal(points.lat(index))}" lon="${lon === 180 ? '-180' : decimal(lon)}"`
    const ele = points.ele(index)
    const height = Number.isFinite(ele) ? `<ele>${decimal(ele)}</ele>` : ''
    const content = height + time(points.timeMs(index)) + element('name', names?.get(index))
    yield content === '' ? `${start}/>\n` : `${start}>${content}</${tag}>\n`
  }
}

/**
 * The shortest decimal that reads as the number, below 1e21. The schema knows no exponent, and its readers only so
 * many digits (XSD 1.0 asks for 18, libxml2 takes 24): what needs more than 20 decimals is rounded there, far below
 * the width of an atom.
 */
function decimal(value: number): string {
  if (value === 0 || Math.abs(value) >= 1e-6) return String(value)
  const text = value.toFixed(20).replace(/\.?0+$/, '')
  return text === '-0' ? '0' : text
}

/** XSD 1.0 has no year 0, and five digits are read by few. */
const firstMs = Date.parse('0001-01-01T00:00:00Z')
const lastMs = Date.parse('9999-12-31T23:59:59.999Z')

/** Nothing where the time is absent (NaN) or none that the schema has. */
function time(timeMs: number): string {
  if (!(timeMs >= firstMs && timeMs <= lastMs)) return ''
  const moment = new Date(timeMs).toISOString()
  return `<time>${moment.endsWith('.000Z') ? `${moment.slice(0, -5)}Z` : moment}</time>`
}

/** Nothing for a text that says nothing. */
function element(name: 'name' | 'desc', text: string | undefined): string {
  return text === undefined || text.trim() === '' ? '' : `<${name}>${escape(text, /[&<>\r]/g)}</${name}>`
}

const inAttribute = /[&<>"\t\n\r]/g

/** What XML would read otherwise goes as a reference, line ends among it (C8). */
function escape(text: string, special = inAttribute): string {
  return replaceForbidden(text).replace(special, (character) => `&#${character.charCodeAt(0)};`)
}
