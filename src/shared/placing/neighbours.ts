// Offers a photo without a place the one between those taken right before and right after it.
import { longitudeBetween } from '../geo/along.ts'
import { comparableTimes, type CameraTime } from './camera-time.ts'

export interface Neighbour extends CameraTime {
  /** Where it is known to have been taken. */
  readonly place?: { readonly lat: number; readonly lon: number } | undefined
}

export interface BetweenNeighbours {
  readonly lat: number
  readonly lon: number
  /** Indexes of the two photos between which it lies. */
  readonly before: number
  readonly after: number
}

const maxNeighbourMs = 120_000

/**
 * One offer a photo, in the order of the photos: for those without a place whose neighbours in time have one and were taken
 * two minutes before and after it at most. Between them it is placed by its time.
 */
export function betweenNeighbours(photos: readonly Neighbour[]): (BetweenNeighbours | undefined)[] {
  const times = comparableTimes(photos)
  const placed = photos
    .flatMap(({ place }, at) => {
      const time = times[at]
      return place === undefined || time === undefined ? [] : [{ ...place, at, time }]
    })
    .sort((one, other) => one.time - other.time)
  return photos.map(({ place }, at) => {
    const time = times[at]
    if (place !== undefined || time === undefined) return undefined
    const before = placed.findLast((other) => other.time <= time)
    const after = placed.find((other) => other.time >= time && other !== before)
    if (before === undefined || after === undefined) return undefined
    if (time - before.time > maxNeighbourMs || after.time - time > maxNeighbourMs) return undefined
    const gap = after.time - before.time
    const share = gap === 0 ? 0.5 : (time - before.time) / gap
    return {
      lat: before.lat + (after.lat - before.lat) * share,
      lon: longitudeBetween(before.lon, after.lon, share),
      before: before.at,
      after: after.at,
    }
  })
}
