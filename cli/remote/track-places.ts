// Locates photos with the track of --gpx, and reports the result for each.
import { readFile, stat } from 'node:fs/promises'
import type { OffsetSuggestion } from '../../src/shared/placing/offsets.ts'
import { suggestOffsets } from '../../src/shared/placing/offsets.ts'
import {
  maxOffsetSeconds,
  placePhoto,
  readPhotoTime,
  type PhotoOnTrack,
  type PhotoTime,
} from '../../src/shared/placing/place-on-track.ts'
import { timeZoneOf } from '../../src/shared/placing/track-zone.ts'
import { readTrack, trackLimits } from '../../src/shared/placing/track.ts'
import { fail, isSystemError, systemSentence, wrongUsage } from '../failures.ts'
import { counted, sized } from '../output.ts'

/** The result for one photo, in the report and with --json. */
export type TrackPlace =
  | { readonly kind: 'track'; readonly lat: number; readonly lon: number }
  /** From the file's own metadata, which takes precedence. */
  | { readonly kind: 'own' }
  | { readonly kind: 'no-time' }
  /** Outside the track, by this many seconds. */
  | { readonly kind: 'before' | 'after' | 'pause'; readonly seconds: number }

export interface TrackPlaces {
  readonly file: string
  readonly offsetSeconds: number
  /** The time zone of the cameras' clocks. */
  readonly timeZone: string
  /** Locates one photo; its time is remembered for `suggestions`. */
  readonly place: (bytes: Uint8Array) => Promise<PhotoOnTrack>
  /** Other offsets that would locate more of the photos so far. */
  readonly suggestions: () => readonly OffsetSuggestion[]
}

/** Reads --gpx-offset. */
export function offsetOption(text: string): number {
  const seconds = /^[+-]?\d{1,9}(?:\.\d{1,3})?$/.test(text) ? Number(text) : NaN
  if (!(Math.abs(seconds) <= maxOffsetSeconds))
    throw wrongUsage('--gpx-offset must be a number of seconds, such as 90 or -3600.')
  return seconds
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    const { size } = await stat(file)
    if (size > trackLimits.maxBytes)
      throw fail(
        'wrong-file',
        `${file} is larger than ${sized(trackLimits.maxBytes)}, too large for a track.`,
      )
    return await readFile(file)
  } catch (error) {
    throw isSystemError(error) ? fail('wrong-file', systemSentence(error)) : error
  }
}

/** @throws one sentence if the file cannot be used. */
export async function openTrack(file: string, offsetSeconds: number): Promise<TrackPlaces> {
  const track = await readTrack(await readBytes(file))
  if (!track.ok) throw fail('wrong-file', `${file} cannot be used as a track. ${track.fault.detail}`)
  const options = { offsetSeconds, timeZone: await timeZoneOf(track.value) }
  const placeless: PhotoTime[] = []
  return {
    file,
    ...options,
    place: async (bytes) => {
      const photo = await readPhotoTime(bytes)
      if (!photo.hasPosition) placeless.push(photo)
      return placePhoto(photo, track.value, options)
    },
    suggestions: () => suggestOffsets(placeless, track.value, options),
  }
}

export function trackPlaceOf(photo: PhotoOnTrack): TrackPlace {
  switch (photo.kind) {
    case 'placed':
      return { kind: 'track', lat: photo.details.lat, lon: photo.details.lon }
    case 'outside':
      return { kind: photo.where, seconds: photo.seconds }
    case 'own':
    case 'no-time':
      return { kind: photo.kind }
  }
}

/** `1 h 2 min`, the two largest units; seconds only below ten minutes. */
function lasting(seconds: number): string {
  const whole = Math.round(seconds)
  const [days, hours, minutes] = [
    Math.floor(whole / 86_400),
    Math.floor(whole / 3_600) % 24,
    Math.floor(whole / 60) % 60,
  ]
  const parts = [
    days > 0 && counted(days, 'day'),
    hours > 0 && `${hours} h`,
    days === 0 && minutes > 0 && `${minutes} min`,
    whole < 600 && whole % 60 > 0 && `${whole % 60} s`,
  ]
  return parts.filter((part) => part !== false).join(' ')
}

/** The text after the photo's name. */
export function placeSentence(place: TrackPlace): string {
  switch (place.kind) {
    case 'track':
      return 'placed by the track'
    case 'own':
      return 'has its own position'
    case 'no-time':
      return 'not placed: it does not say when it was taken'
    case 'before':
      return `not placed: taken ${lasting(place.seconds)} before the track begins`
    case 'after':
      return `not placed: taken ${lasting(place.seconds)} after the track ends`
    case 'pause':
      return `not placed: taken in a pause of the track, ${lasting(place.seconds)} from its nearest point`
  }
}

interface Placed {
  readonly file: string
  readonly place?: TrackPlace | undefined
}

/** The summary: how many were located and how, the names of the others, and an offset that would locate them. */
export function trackSummary(
  { file, timeZone, offsetSeconds, suggestions }: TrackPlaces,
  photos: readonly Placed[],
  namesAll: boolean,
): string[] {
  const placed = photos.flatMap(({ file: name, place }) => (place === undefined ? [] : [{ name, place }]))
  const count = (kind: TrackPlace['kind']): number => placed.filter(({ place }) => place.kind === kind).length
  const [byTrack, own, noTime] = [count('track'), count('own'), count('no-time')]
  const outside = placed.length - byTrack - own - noTime
  const counts = [
    `${byTrack} placed`,
    own > 0 && `${own} with their own position`,
    outside > 0 && `${outside} outside the track`,
    noTime > 0 && `${noTime} without a time`,
  ].filter((part) => part !== false)
  const isNamed = ({ kind }: TrackPlace): boolean => namesAll || (kind !== 'track' && kind !== 'own')
  return [
    `By ${file} (clocks read in ${timeZone}): ${counts.join(', ')}`,
    ...placed
      .filter(({ place }) => isNamed(place))
      .map(({ name, place }) => `${name}: ${placeSentence(place)}`),
    ...suggestions().map((one) => suggestionLine(one, byTrack, offsetSeconds)),
  ]
}

/** The same for --json; each photo has its own line. */
export function trackDocument(
  { file, timeZone, offsetSeconds, suggestions }: TrackPlaces,
  photos: readonly Placed[],
) {
  const placed = photos.filter(({ place }) => place?.kind === 'track').length
  return { gpx: file, timeZone, offsetSeconds, placed, suggestions: suggestions() }
}

function suggestionLine({ offsetSeconds, placed }: OffsetSuggestion, now: number, tried: number): string {
  const change = offsetSeconds - tried
  const hours = `${Math.abs(change) / 3_600} h ${change > 0 ? 'behind' : 'ahead'}`
  return `With --gpx-offset ${offsetSeconds} it would be ${placed} placed instead of ${now}: the camera's clock seems to be ${hours}.`
}
