// Which wrong time zone of the camera would explain that photos lie outside of a track.
import { placeOne, type TrackOptions } from './by-track.ts'
import { createZone, type CameraTime } from './camera-time.ts'
import type { Track } from './track.ts'

export interface OffsetSuggestion {
  /** To be added to the camera's clock, in place of the offset that was tried. */
  readonly offsetSeconds: number
  /** How many of the photos it places. */
  readonly placed: number
}

/** From -12:00 to +14:00, the farthest apart that two zones are. */
const maxHours = 26
const quartersOfHour = [0, 15, 30, 45]
const maxSuggestions = 3

/** Whole hours from the nearest to the farthest, then half ones, then quarters: the likelier before the less likely. */
const candidates: readonly number[] = Array.from({ length: maxHours * 4 }, (_, index) => index + 1)
  .flatMap((quarters) => [quarters * 15, -quarters * 15])
  .sort((one, other) => rarity(one) - rarity(other) || Math.abs(one) - Math.abs(other))
  .map((minutes) => minutes * 60)

function rarity(minutes: number): number {
  const rest = Math.abs(minutes) % 60
  return rest === 0 ? 0 : rest === 30 ? 1 : quartersOfHour.length
}

/**
 * Offsets under which at least half of the photos that lie outside now would lie on the track, and more in all: those that
 * place the most first, the likelier among equals. Most often there is one, or none.
 */
export function suggestOffsets(
  photos: readonly CameraTime[],
  track: Track,
  { offsetSeconds = 0, timeZone }: TrackOptions,
): OffsetSuggestion[] {
  const zone = createZone(timeZone)
  const placings = photos.map((photo) => placeOne(photo, track, zone, offsetSeconds))
  const timed = photos.filter((_, at) => placings[at]?.kind !== 'no-time')
  const placedNow = placings.filter(({ kind }) => kind === 'placed').length
  const wanted = placedNow + Math.max(1, Math.ceil((timed.length - placedNow) / 2))
  if (placedNow === timed.length) return []
  return candidates
    .map((more) => more + offsetSeconds)
    .map((seconds) => ({
      offsetSeconds: seconds,
      placed: timed.filter((photo) => placeOne(photo, track, zone, seconds).kind === 'placed').length,
    }))
    .filter(({ placed }) => placed >= wanted)
    .sort((one, other) => other.placed - one.placed)
    .slice(0, maxSuggestions)
}
