// The whole of it for photos as files and a track as a GPX file: which are placed where, and what the upload says of each.
import { placeByTrack, type OutsideTrack, type PlacedByTrack, type TrackOptions } from './by-track.ts'
import { correctedTimestamp, type CameraTime } from './camera-time.ts'
import { suggestOffsets, type OffsetSuggestion } from './offsets.ts'
import { timeZoneFor } from './track-zone.ts'
import { readTrack, type Track } from './track.ts'
import { invalidField, taken, type Reading } from '../classic/reading.ts'
import { captureFrom } from '../formats/capture.ts'
import { positionFrom } from '../formats/gps.ts'
import { uploadFormatOf } from '../formats/converted-formats.ts'
import { metadataBlocks } from '../formats/metadata-blocks.ts'

/** What placing needs to know of a photo: not its picture, so that thousands fit into memory. */
export interface PhotoTime extends CameraTime {
  /** Its own metadata tell where it was taken, which counts more than any track (C56). */
  readonly hasPosition: boolean
}

/** What an upload says of a photo that was placed, for its `details`. */
export interface PlacedDetails {
  readonly lat: number
  readonly lon: number
  readonly positionSource: 'track'
  readonly altitude?: number
  /** Where the camera's clock was corrected: what the file says is wrong then. */
  readonly takenAt?: string
}

export type PhotoOnTrack =
  | { readonly kind: 'placed'; readonly place: PlacedByTrack; readonly details: PlacedDetails }
  | { readonly kind: 'own' }
  | { readonly kind: 'no-time' }
  | OutsideTrack

export interface PlacedPhotos {
  /** One a photo, in the order of the photos. */
  readonly photos: readonly PhotoOnTrack[]
  /** Other offsets of the clock, of the photos that have no place of their own. */
  readonly suggestions: readonly OffsetSuggestion[]
  /** In which clocks without a stated offset were read. */
  readonly timeZone: string
}

export interface PlaceOptions {
  /** Added to the camera's clock. */
  readonly offsetSeconds?: number | undefined
}

/** Some 31 years: what a clock that was never set is behind by. */
export const maxOffsetSeconds = 999_999_999

/** From the whole bytes of a photo; of what is none, that it has neither time nor place. */
export async function readPhotoTime(bytes: Uint8Array): Promise<PhotoTime> {
  const format = uploadFormatOf(bytes)
  if (format === undefined) return { hasPosition: false }
  const blocks = await metadataBlocks(bytes, format)
  const { localTime, offsetMinutes } = captureFrom(blocks)
  return { localTime, offsetMinutes, hasPosition: positionFrom(blocks) !== undefined }
}

/**
 * Places photos by the GPX file of the walk, its text or its bytes.
 * @param photos files, read one after the other, or what `readPhotoTime` gave.
 * @returns why the GPX file is of no use, or the offset no number of seconds.
 */
export async function placeOnTrack(
  photos: readonly (Blob | PhotoTime)[],
  gpx: string | Uint8Array,
  options: PlaceOptions = {},
): Promise<Reading<PlacedPhotos>> {
  if (!(Math.abs(options.offsetSeconds ?? 0) <= maxOffsetSeconds))
    return invalidField(`offsetSeconds must be a number from -${maxOffsetSeconds} to ${maxOffsetSeconds}.`)
  const track = await readTrack(gpx)
  if (!track.ok) return track
  const times: PhotoTime[] = []
  for (const photo of photos) {
    times.push(photo instanceof Blob ? await readPhotoTime(new Uint8Array(await photo.arrayBuffer())) : photo)
  }
  return taken(await placeTimes(times, track.value, options))
}

/** The same by a track that was read before. */
export async function placeTimes(
  photos: readonly PhotoTime[],
  track: Track,
  { offsetSeconds }: PlaceOptions = {},
): Promise<PlacedPhotos> {
  const placeless = photos.filter(({ hasPosition }) => !hasPosition)
  const options = { offsetSeconds, timeZone: await timeZoneFor(placeless, track) }
  return {
    photos: photos.map((photo) => placePhoto(photo, track, options)),
    suggestions: suggestOffsets(placeless, track, options),
    timeZone: options.timeZone,
  }
}

/** One of them, for whoever reads them one after the other. */
export function placePhoto(photo: PhotoTime, track: Track, options: TrackOptions): PhotoOnTrack {
  if (photo.hasPosition) return { kind: 'own' }
  const [place = { kind: 'no-time' }] = placeByTrack([photo], track, options)
  if (place.kind !== 'placed') return place
  return { kind: 'placed', place, details: detailsOf(photo, place, options.offsetSeconds ?? 0) }
}

/** The seventh decimal of a degree is about a centimetre, as in a position that is read from a file. */
const degrees = (value: number): number => Math.round(value * 1e7) / 1e7

function detailsOf(photo: PhotoTime, place: PlacedByTrack, offsetSeconds: number): PlacedDetails {
  const { lat, lon, altitude, timeMs } = place
  return {
    lat: degrees(lat),
    lon: degrees(lon),
    positionSource: 'track',
    ...(altitude === undefined ? {} : { altitude: Math.round(altitude * 10) / 10 }),
    ...(offsetSeconds === 0 ? {} : { takenAt: correctedTimestamp(photo, timeMs, offsetSeconds) }),
  }
}
