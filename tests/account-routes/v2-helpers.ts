// Shared by the tests of v2 routes: generated GPX, requests, and an independent parser of exports.
import assert from 'node:assert/strict'
import type { Person, Waymark } from '../helpers/waymark.ts'

export type Point = readonly [lat: number, lon: number, ele?: number]

export const json = { 'content-type': 'application/json' } as const
const start = Date.UTC(2026, 2, 3, 5, 6, 7)

/** Marks everything private that a device writes, so that it is easily found. */
export const betraying = 'BETRAYING'

/** One trkseg per list of points, with private times, extensions, waypoints and names. */
export function gpxOf(segments: readonly (readonly Point[])[], { name = '' } = {}): string {
  const trkpt = ([lat, lon, ele]: Point, index: number): string => {
    const time = new Date(start + index * 1000).toISOString()
    const height = ele === undefined ? '' : `<ele>${ele}</ele>`
    return `<trkpt lat="${lat}" lon="${lon}">${height}<time>${time}</time><cmt>${betraying}</cmt><extensions><hr xmlns="urn:x">${betraying}</hr></extensions></trkpt>`
  }
  const first = segments.flat()[0] ?? [0, 0]
  const wpt = `<wpt lat="${first[0]}" lon="${first[1]}"><name>${betraying} door</name></wpt>`
  const trksegs = segments.map((points) => `<trkseg>${points.map(trkpt).join('')}</trkseg>`).join('')
  const title = name === '' ? '' : `<name>${name}</name>`
  return `<gpx version="1.1" creator="${betraying}" xmlns="http://www.topografix.com/GPX/1/1"><metadata>${title}<author><name>${betraying}</name></author><time>2026-03-03T05:06:07Z</time></metadata>${wpt}<trk><name>${betraying} track</name>${trksegs}</trk></gpx>`
}

/** Due north from a place, a point every `step` degrees. */
export const northward = (lat: number, lon: number, count: number, step = 0.001): Point[] =>
  Array.from({ length: count }, (_, index) => [
    Number((lat + index * step).toFixed(6)),
    lon,
    100 + (index % 2 === 0 ? 0 : 30) + index,
  ])

export interface RouteDocument {
  readonly routeID: number
  readonly acctID: number
  readonly displayName: string
  readonly name: string
  readonly description: string
  readonly length: number
  readonly measuredLengthMiles: number | null
  readonly climb: number | null
  readonly descent: number | null
  readonly bbox: readonly [number, number, number, number] | null
  readonly pointCount: number
  readonly start: { lat: number; lon: number } | null
  readonly end: { lat: number; lon: number } | null
  readonly duplicates: readonly number[]
  readonly visibility: string
  readonly createdAt: string
  readonly urls: { gpx: string; geojson: string }
  readonly updatedAt?: string
  readonly link?: string | null
  readonly isLengthStated?: boolean
  readonly warnings?: readonly { code: string }[]
  readonly unreadable?: string
  readonly gpx?: string
}

export interface Problem {
  readonly status: number
  readonly type: string
  readonly detail?: string
}

export const jsonOf = async <T>(answer: Response): Promise<T> => (await answer.json()) as T

const send = (waymark: Waymark, method: string, path: string, sent: SentJson): Promise<Response> =>
  waymark.fetch(path, {
    method,
    headers: { ...json, ...sent.headers },
    body: typeof sent.body === 'string' ? sent.body : JSON.stringify(sent.body),
    ...(sent.token === undefined ? {} : { token: sent.token }),
  })

export interface SentJson {
  readonly token: string | undefined
  readonly body: unknown
  readonly headers?: Record<string, string>
}

export const post = (waymark: Waymark, path: string, sent: SentJson) => send(waymark, 'POST', path, sent)
export const patch = (waymark: Waymark, path: string, sent: SentJson) => send(waymark, 'PATCH', path, sent)

export const setOf = ({ accountId }: Person): string => `/v2/accounts/${accountId}/routes`

/** Adds a route, which must succeed. */
export async function addRoute(waymark: Waymark, person: Person, body: object): Promise<RouteDocument> {
  const answer = await post(waymark, setOf(person), { token: person.token, body })
  assert.equal(answer.status, 201, await answer.clone().text())
  return jsonOf(answer)
}

export async function changeRoute(
  waymark: Waymark,
  person: Person,
  { id, ...body }: { readonly id: number } & Record<string, unknown>,
): Promise<RouteDocument> {
  const answer = await patch(waymark, `/v2/routes/${id}`, { token: person.token, body })
  assert.equal(answer.status, 200, await answer.clone().text())
  return jsonOf(answer)
}

export interface SentZone {
  readonly lat: number
  readonly lon: number
  readonly radius: number
}

export async function addZone(waymark: Waymark, { token }: Person, zone: SentZone): Promise<number> {
  const answer = await post(waymark, '/v2/me/zones', { token, body: zone })
  assert.equal(answer.status, 201, await answer.clone().text())
  return (await jsonOf<{ zoneID: number }>(answer)).zoneID
}

export const pathOf = (address: string): string => new URL(address).pathname + new URL(address).search

/** The points of each trkseg, by an independent parser. */
export function segmentsIn(gpx: string): Point[][] {
  return [...gpx.matchAll(/<trkseg\/>|<trkseg>([\s\S]*?)<\/trkseg>/g)].map(([, segment = '']) =>
    [
      ...segment.matchAll(
        /<trkpt lat="([^"]+)" lon="([^"]+)"(?:\/>|>(?:<ele>([^<]+)<\/ele>)?[\s\S]*?<\/trkpt>)/g,
      ),
    ].map(([, lat, lon, ele]): Point =>
      ele === undefined ? [Number(lat), Number(lon)] : [Number(lat), Number(lon), Number(ele)],
    ),
  )
}
