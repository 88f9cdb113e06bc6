// The time zone of a track, by its place; the table of zones is loaded only where it is needed.
import { clockMs, type CameraTime } from './camera-time.ts'
import type { Track } from './track.ts'

/** Of the first fix: an IANA name. */
export async function timeZoneOf(track: Track): Promise<string> {
  const { zoneOf } = await import('../geo/time-zones.ts')
  return zoneOf({ lat: String(track.lats[0]), lon: String(track.lons[0]) })
}

/** The zone in which these photos are read: UTC, without loading anything, where every photo states its offset. */
export async function timeZoneFor(photos: readonly CameraTime[], track: Track): Promise<string> {
  const isNeeded = photos.some((photo) => photo.offsetMinutes === undefined && clockMs(photo) !== undefined)
  return isNeeded ? timeZoneOf(track) : 'UTC'
}
