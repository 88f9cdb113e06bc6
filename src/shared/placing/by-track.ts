// Places photos on a track by their time, or tells how far outside of it they were taken (C56).
import { momentOf, type CameraTime } from './camera-time.ts'
import { maxAltitude, minAltitude } from '../taken-words.ts'
import { longitudeBetween } from '../geo/along.ts'
import type { Track } from './track.ts'
import { createZone } from '../geo/zone-clock.ts'

export interface TrackOptions {
  /** Added to the camera's clock. */
  readonly offsetSeconds?: number | undefined
  /** In which a clock without a stated offset is read: see `timeZoneFor`. */
  readonly timeZone: string
}

export interface PlacedByTrack {
  readonly kind: 'placed'
  readonly lat: number
  readonly lon: number
  /** Metres; absent where the track tells none here. */
  readonly altitude?: number
  readonly source: 'track'
  /** When it was taken, by the corrected clock. */
  readonly timeMs: number
  /** From the nearest fix, 60 at most: how much of this is assumed. */
  readonly secondsFromFix: number
}

export interface OutsideTrack {
  readonly kind: 'outside'
  /** Of the track: before its first fix, after its last, or while none was recorded. */
  readonly where: 'before' | 'after' | 'pause'
  /** To the nearest fix, more than 60. */
  readonly seconds: number
  readonly timeMs: number
}

export type TrackPlacing = PlacedByTrack | OutsideTrack | { readonly kind: 'no-time' }

export const maxSecondsFromFix = 60
/** After a longer pause nobody has walked evenly and straight all the while: then the nearer fix counts. */
const maxInterpolatedMs = 30 * 60_000

/** One placing a photo, in the order of the photos. */
export function placeByTrack(
  photos: readonly CameraTime[],
  track: Track,
  { offsetSeconds = 0, timeZone }: TrackOptions,
): TrackPlacing[] {
  const zone = createZone(timeZone)
  return photos.map((photo) => {
    const timeMs = momentOf(photo, zone, offsetSeconds)
    return timeMs === undefined ? { kind: 'no-time' } : placeAt(track, timeMs)
  })
}

/** How many fixes are not after this moment. */
function countUntil({ times, count }: Track, timeMs: number): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((times[middle] ?? NaN) <= timeMs) low = middle + 1
    else high = middle
  }
  return low
}

/** Whether a photo of this moment is placed. */
export function isOnTrack(track: Track, timeMs: number): boolean {
  const after = countUntil(track, timeMs)
  return fromFixes(track, timeMs, after).seconds <= maxSecondsFromFix
}

/** Infinite where there is no fix before, or after; `seconds` is to the nearer one. */
function fromFixes({ times, count }: Track, timeMs: number, after: number) {
  const sinceMs = after === 0 ? Infinity : timeMs - (times[after - 1] ?? NaN)
  const untilMs = after === count ? Infinity : (times[after] ?? NaN) - timeMs
  return { sinceMs, untilMs, seconds: Math.min(sinceMs, untilMs) / 1_000 }
}

function placeAt(track: Track, timeMs: number): PlacedByTrack | OutsideTrack {
  const after = countUntil(track, timeMs)
  const { sinceMs, untilMs, seconds } = fromFixes(track, timeMs, after)
  // Not above it, and not what is no number either.
  if (!(seconds <= maxSecondsFromFix)) {
    const where = after === 0 ? 'before' : after === track.count ? 'after' : 'pause'
    return { kind: 'outside', where, seconds, timeMs }
  }
  const gapMs = sinceMs + untilMs
  const share = gapMs <= maxInterpolatedMs ? sinceMs / gapMs : sinceMs <= untilMs ? 0 : 1
  const [from, to] = [Math.max(after - 1, 0), Math.min(after, track.count - 1)]
  const altitude = between(track.eles, from, to, share)
  return {
    kind: 'placed',
    lat: between(track.lats, from, to, share),
    lon: longitudeBetween(track.lons[from] ?? NaN, track.lons[to] ?? NaN, share),
    // NaN where there is none.
    ...(altitude >= minAltitude && altitude <= maxAltitude ? { altitude } : {}),
    source: 'track',
    timeMs,
    secondsFromFix: seconds,
  }
}

/** At either end the very value, even where there is none at the other. */
function between(column: Float64Array, from: number, to: number, share: number): number {
  const [start = NaN, end = NaN] = [column[from], column[to]]
  if (share === 0) return start
  return share === 1 ? end : start + (end - start) * share
}
