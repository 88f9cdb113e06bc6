// The time zone of a track, by its place; the table of zones is loaded only where it is needed.
import { clockMs, type CameraTime } from './camera-time.ts'
import type { Track } from './track.ts'

/** Of the first fix: an IANA name. */
export async function timeZoneOf(track: Track): Promise<string> {
  const { default: zoneAt } = await import('@photostructure/tz-lookup')
  const [lat = 0, lon = 0] = [track.lats[0], track.lons[0]]
  return isOnTutuila(lat, lon) ? 'Pacific/Pago_Pago' : zoneAt(lat, lon)
}

/** The table is coarse: it counts the main island of American Samoa to Samoa, which is a whole day ahead. */
const isOnTutuila = (lat: number, lon: number): boolean =>
  lat > -14.5 && lat < -14.1 && lon > -171 && lon < -170.4

/** The zone in which these photos are read: UTC, without loading anything, where every photo states its offset. */
export async function timeZoneFor(photos: readonly CameraTime[], track: Track): Promise<string> {
  const isNeeded = photos.some((photo) => photo.offsetMinutes === undefined && clockMs(photo) !== undefined)
  return isNeeded ? timeZoneOf(track) : 'UTC'
}
