// Tracks and photos for the tests of placing: made up, so that the right place is known.
import assert from 'node:assert/strict'
import type { CameraTime } from '../../../src/shared/placing/camera-time.ts'
import { readTrack, type Track } from '../../../src/shared/placing/track.ts'

export interface Fix {
  readonly at: number | string
  readonly lat: number
  readonly lon: number
  readonly ele?: number
}

const timeOf = (at: number | string): string => (typeof at === 'string' ? at : new Date(at).toISOString())

const pointOf = ({ at, lat, lon, ele }: Fix): string =>
  `<trkpt lat="${lat}" lon="${lon}">${ele === undefined ? '' : `<ele>${ele}</ele>`}<time>${timeOf(at)}</time></trkpt>`

const segmentOf = (fixes: readonly Fix[]): string => `<trkseg>${fixes.map(pointOf).join('\n')}</trkseg>`

export const gpxWith = (body: string): string =>
  `<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">${body}</gpx>`

export const gpxOf = (...segments: readonly (readonly Fix[])[]): string =>
  gpxWith(`<trk>${segments.map(segmentOf).join('')}</trk>`)

export async function trackOfGpx(gpx: string | Uint8Array): Promise<Track> {
  const reading = await readTrack(gpx)
  assert.ok(reading.ok, reading.ok ? '' : reading.fault.detail)
  return reading.value
}

export const trackOfFixes = (...segments: readonly (readonly Fix[])[]): Promise<Track> =>
  trackOfGpx(gpxOf(...segments))

/** A camera whose clock shows this moment's figures in UTC. */
export const clockAt = (ms: number): CameraTime => ({ localTime: new Date(ms).toISOString().slice(0, -1) })

/** Straight north, a fix every so many seconds, 1.2 m a second; so that a place tells its moment. */
export function walkNorth(
  start: number,
  seconds: number,
  { every = 10, lat = 46, lon = 7.5 }: { every?: number; lat?: number; lon?: number } = {},
): Fix[] {
  return Array.from({ length: Math.floor(seconds / every) + 1 }, (_, index) => ({
    at: start + index * every * 1_000,
    lat: lat + index * every * degreesASecond,
    lon,
    ele: 500 + index * every * 0.1,
  }))
}

export const degreesASecond = 1.2 / 111_200

const earthRadius = 6_371_008

/** On a sphere: within half a percent. */
export function metresApart(
  one: { readonly lat: number; readonly lon: number },
  other: { readonly lat: number; readonly lon: number },
): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180
  const [lat, lon] = [radians(other.lat - one.lat), radians(other.lon - one.lon)]
  const half =
    Math.sin(lat / 2) ** 2 +
    Math.cos(radians(one.lat)) * Math.cos(radians(other.lat)) * Math.sin(lon / 2) ** 2
  return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(half)))
}
