// The photos of the queue that have no location: which they are, when they were taken, and what their neighbours offer.
import { betweenNeighbours } from '../../src/shared/placing/neighbours.ts'
import { clockMs, comparableTimes, type CameraTime } from '../../src/shared/placing/camera-time.ts'
import { isEditable, type QueuedPhoto } from './photo.ts'
import type { Queue } from './queue.ts'
import { placeOf } from './queue-view.ts'

/** One that was looked at, may still be changed, and is not to be without a location. */
export const isPlaceless = (photo: QueuedPhoto): boolean =>
  photo.facts !== undefined &&
  photo.state !== 'unusable' &&
  photo.position.from !== 'nobody' &&
  isEditable(photo) &&
  placeOf(photo) === undefined

/** One that nobody meant to be without a location, and that can no longer be changed here. */
export const isSentWithoutPlace = (photo: QueuedPhoto): boolean =>
  photo.position.from === 'file' && !isEditable(photo) && placeOf(photo) === undefined

export const placelessOf = (queue: Queue): Queue => queue.filter(isPlaceless)

/** Of a photo that was looked at by the page of before, out of the text that it kept. */
function readTakenAt(takenAt: string): CameraTime {
  const [, localTime, sign, hours, minutes] = /^(.{19})(?:([+-])(\d\d):(\d\d))?$/.exec(takenAt) ?? []
  if (sign === undefined) return { localTime }
  const size = Number(hours) * 60 + Number(minutes)
  return { localTime, offsetMinutes: sign === '-' ? -size : size }
}

export const cameraTimeOf = ({ facts }: QueuedPhoto): CameraTime =>
  facts?.capture ?? readTakenAt(facts?.takenAt ?? '')

/** By the camera's clock; those without a time stay behind the one that they follow in the list. */
export function inOrderOfTime(photos: Queue): Queue {
  let latest = -Infinity
  const keyed = comparableTimes(photos.map(cameraTimeOf)).map((time, at) => {
    latest = time ?? latest
    return { at, key: latest }
  })
  return keyed
    .toSorted((one, other) => (one.key === other.key ? one.at - other.at : one.key < other.key ? -1 : 1))
    .flatMap(({ at }) => photos[at] ?? [])
}

export interface NeighbourOffer {
  readonly lat: number
  readonly lon: number
  /** Names of the photos between which it was taken. */
  readonly before: string
  readonly after: string
}

/** By the id of the photo that it is for. */
export type NeighbourOffers = ReadonlyMap<string, NeighbourOffer>

export function neighbourOffers(queue: Queue): NeighbourOffers {
  const timed = queue.filter((photo) => clockMs(cameraTimeOf(photo)) !== undefined)
  const offers = betweenNeighbours(timed.map((photo) => ({ ...cameraTimeOf(photo), place: placeOf(photo) })))
  return new Map(
    timed.flatMap((photo, at): [string, NeighbourOffer][] => {
      const offer = offers[at]
      if (offer === undefined || !isPlaceless(photo)) return []
      const { lat, lon, before, after } = offer
      return [[photo.id, { lat, lon, before: timed[before]?.name ?? '', after: timed[after]?.name ?? '' }]]
    }),
  )
}
