// From a camera's clock to the moment: by the offset that the file states, else by a time zone and its changes.
import type { Zone } from '../geo/zone-clock.ts'

/** When a photo says that it was taken; `captureFrom` (shared/formats) gives the same fields. */
export interface CameraTime {
  /** The camera's clock: 2026-05-14T09:08:07, with or without a fraction. Undefined where the file tells none. */
  readonly localTime?: string | undefined
  /** East of UTC, where the file states it. */
  readonly offsetMinutes?: number | undefined
}

const written = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?$/

/** The clock's figures as if they were UTC, in milliseconds; undefined where there are none. */
export function clockMs({ localTime }: CameraTime): number | undefined {
  if (localTime === undefined || !written.test(localTime)) return undefined
  const ms = Date.parse(`${localTime}Z`)
  return Number.isNaN(ms) ? undefined : ms
}

/** The moment by the photo's own offset, else in the zone; the seconds are added to the camera's clock before (C56). */
export function momentOf(photo: CameraTime, zone: Zone, offsetSeconds = 0): number | undefined {
  const clock = clockMs(photo)
  return clock === undefined ? undefined : momentAt(clock + offsetSeconds * 1_000, photo.offsetMinutes, zone)
}

/** The moment of a clock's figures. */
export function momentAt(clock: number, offsetMinutes: number | undefined, zone: Zone): number {
  return offsetMinutes === undefined ? zone(clock) : clock - offsetMinutes * 60_000
}

/**
 * What orders photos: moments where every one states its offset, else the figures of their clocks, for a mixture of both
 * would move some by hours. Undefined for those without a time.
 */
export function comparableTimes(photos: readonly CameraTime[]): (number | undefined)[] {
  const areMoments = photos.every(
    (photo) => clockMs(photo) === undefined || photo.offsetMinutes !== undefined,
  )
  return photos.map((photo) => {
    const clock = clockMs(photo)
    if (clock === undefined || !areMoments) return clock
    return clock - (photo.offsetMinutes ?? 0) * 60_000
  })
}

const two = (figure: number): string => String(figure).padStart(2, '0')

/** When a photo was taken by the corrected clock, as RFC 3339 in the offset in which the clock was read. */
export function correctedTimestamp(photo: CameraTime, timeMs: number, offsetSeconds: number): string {
  const clock = (clockMs(photo) ?? timeMs) + offsetSeconds * 1_000
  const offsetMinutes = photo.offsetMinutes ?? Math.round((clock - timeMs) / 60_000)
  const size = Math.abs(offsetMinutes)
  const local = new Date(timeMs + offsetMinutes * 60_000).toISOString().replace(/(?:\.000)?Z$/, '')
  return `${local}${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}
