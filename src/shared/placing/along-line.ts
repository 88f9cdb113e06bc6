// Spreads photos along the line of a trail, in order of time, between two places on it.
import { comparableTimes, type CameraTime } from './camera-time.ts'
import { pointAtMiles, type MeasuredLine } from '../geo/along.ts'

export interface PlacedOnLine {
  readonly lat: number
  readonly lon: number
  /** From the start of the line. */
  readonly miles: number
  readonly source: 'line'
}

/**
 * One place a photo, in the order of the photos. The first in time lies at `fromMiles`, the last at `toMiles`, which may be
 * less; those between them by their time where every one has one, else evenly. One photo alone lies halfway.
 */
export function spreadAlongLine(
  photos: readonly CameraTime[],
  line: MeasuredLine,
  fromMiles: number,
  toMiles: number,
): PlacedOnLine[] {
  return sharesOf(photos).map((share) => {
    const { lat, lon, miles } = pointAtMiles(line, fromMiles + (toMiles - fromMiles) * share)
    return { lat, lon, miles, source: 'line' }
  })
}

/** From 0 to 1. */
function sharesOf(photos: readonly CameraTime[]): number[] {
  if (photos.length === 1) return [0.5]
  const times = comparableTimes(photos)
  const known = times.filter((time) => time !== undefined)
  const first = known.reduce((min, time) => Math.min(min, time), Infinity)
  const last = known.reduce((max, time) => Math.max(max, time), -Infinity)
  if (known.length === photos.length && first < last) {
    return known.map((time) => (time - first) / (last - first))
  }
  const shares: number[] = []
  for (const [place, at] of inOrderOfTime(times).entries()) shares[at] = place / (photos.length - 1)
  return shares
}

/** Indexes; a photo without a time stays behind the one that it follows in the list. */
function inOrderOfTime(times: readonly (number | undefined)[]): number[] {
  let latest = -Infinity
  const keys = times.map((time) => {
    latest = time ?? latest
    return latest
  })
  const order = (one: number, other: number): number => {
    const [key = 0, otherKey = 0] = [keys[one], keys[other]]
    return key === otherKey ? 0 : key - otherKey
  }
  return times.map((_, at) => at).sort(order)
}
