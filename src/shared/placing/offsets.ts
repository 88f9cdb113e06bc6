// Which wrong time zone of the camera would explain that photos lie outside of a track.
import { isOnTrack, type TrackOptions } from './by-track.ts'
import { clockMs, momentAt, type CameraTime } from './camera-time.ts'
import type { Track } from './track.ts'
import { createZone } from '../geo/zone-clock.ts'

export interface OffsetSuggestion {
  /** To be added to the camera's clock, in place of the offset that was tried. */
  readonly offsetSeconds: number
  /** How many of the photos it places. */
  readonly placed: number
}

/** From -12:00 to +14:00, the farthest apart that two zones are. */
const maxHours = 26
const maxSuggestions = 3

/** The likelier before the less likely: whole hours from the nearest on, then half ones, then quarters. */
const candidates: readonly (readonly number[])[] = [
  minutesFrom([0]),
  minutesFrom([30]),
  minutesFrom([15, 45]),
]

/** Minutes to either side whose rest of an hour is one of these, from the nearest on. */
function minutesFrom(rests: readonly number[]): number[] {
  return Array.from({ length: maxHours * 4 }, (_, index) => (index + 1) * 15).flatMap((minutes) =>
    rests.includes(minutes % 60) ? [minutes, -minutes] : [],
  )
}

/**
 * Offsets under which at least half of the photos that lie outside now would lie on the track, and more in all: those that
 * place the most first, the nearest among equals. Half hours and quarters, of which the world has few, are only told of
 * where they place more than any whole hour. A track that is much longer than the photos took fits several.
 */
export function suggestOffsets(
  photos: readonly CameraTime[],
  track: Track,
  { offsetSeconds = 0, timeZone }: TrackOptions,
): OffsetSuggestion[] {
  const zone = createZone(timeZone)
  const timed = photos.flatMap((photo) => {
    const clock = clockMs(photo)
    return clock === undefined ? [] : [{ clock, offsetMinutes: photo.offsetMinutes }]
  })
  const countPlaced = (seconds: number): number =>
    timed.filter(({ clock, offsetMinutes }) =>
      isOnTrack(track, momentAt(clock + seconds * 1_000, offsetMinutes, zone)),
    ).length

  const placedNow = countPlaced(offsetSeconds)
  if (placedNow === timed.length) return []
  let wanted = placedNow + Math.ceil((timed.length - placedNow) / 2)
  const found: OffsetSuggestion[] = []
  for (const likely of candidates) {
    const fitting = likely
      .map((minutes) => offsetSeconds + minutes * 60)
      .map((seconds) => ({ offsetSeconds: seconds, placed: countPlaced(seconds) }))
      .filter(({ placed }) => placed >= wanted)
    found.push(...fitting)
    wanted = found.reduce((max, { placed }) => Math.max(max, placed + 1), wanted)
  }
  return found.sort((one, other) => other.placed - one.placed).slice(0, maxSuggestions)
}
