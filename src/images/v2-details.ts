// Reads the details of an image as v2 takes them, in a PATCH and in the part of an upload.
import { trailImageDetails } from '../shared/classic/classic-shapes.ts'
import type { Position } from '../shared/classic/details.ts'
import type { Reading } from '../shared/classic/reading.ts'
import { ImageDetails, type ImagePatch } from '../shared/v2/image-schemas.ts'
import { parseTimestamp } from '../shared/v2/timestamps.ts'
import { refuse } from '../errors.ts'
import type { FormField } from '../http/bodies/multipart.ts'
import { createJsonReader } from '../http/bodies/v2-body.ts'
import { nothingOfCapture, refuseWithoutPosition, type SentCapture } from './capture/sent-capture.ts'

/** What is said of an image; undefined where nothing is, and what is null is not known. */
export interface SentDetails extends SentCapture {
  readonly title: string | undefined
  readonly caption: string | undefined
  readonly position: Position | null | undefined
}

/** What comes beside the file of an upload. */
export interface UploadDetails extends SentDetails {
  /** The version of the terms that the person saw; null where there were none to see. */
  readonly termsVersion: string | null | undefined
}

export const noDetails: UploadDetails = {
  title: undefined,
  caption: undefined,
  position: undefined,
  ...nothingOfCapture,
  termsVersion: undefined,
}

const { title: titleKind, caption: captionKind, lat: latKind, lon: lonKind } = trailImageDetails.fields

const wrong = (detail: string) => refuse('invalid-field', { detail })

function valueOf<Value>(reading: Reading<Value>): Value {
  if (reading.ok) return reading.value
  throw refuse(reading.fault.code, { detail: reading.fault.detail })
}

const textOf = (kind: typeof titleKind.kind, sent: string | undefined, field: string): string | undefined =>
  sent === undefined ? undefined : valueOf(kind.read(sent, field))

function positionOf({ lat, lon }: ImagePatch): Position | null | undefined {
  if (lat === undefined && lon === undefined) return undefined
  if (lat === null && lon === null) return null
  if (typeof lat !== 'number' || typeof lon !== 'number')
    throw wrong('lat and lon must be sent together: two numbers, or two nulls for an unknown position.')
  if (lat === 0 && lon === 0)
    throw wrong('lat and lon are both 0, which means an unknown position here: send null instead.')
  const [north, east] = [valueOf(latKind.kind.read(lat, 'lat')), valueOf(lonKind.kind.read(lon, 'lon'))]
  return north === undefined || east === undefined ? undefined : { lat: north, lon: east }
}

function takenOf({ takenAt }: ImagePatch): SentCapture['taken'] {
  if (takenAt === undefined || takenAt === null) return takenAt
  const at = parseTimestamp(takenAt)
  if (at === undefined)
    throw wrong('The field takenAt must be a timestamp with an offset, such as 2026-05-14T09:08:07+02:00.')
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)$/.exec(takenAt) ?? []
  const size = Number(hours) * 60 + Number(minutes)
  return { at, offsetMinutes: sign === '-' && size > 0 ? -size : size, zone: 'stated' }
}

/** What is said of a position that is not known is a mistake. */
function captureOf(body: ImagePatch): SentCapture {
  const { positionSource, positionAccuracy, direction, altitude, lat } = body
  if (lat === null) refuseWithoutPosition({ positionSource, positionAccuracy })
  return { taken: takenOf(body), positionSource, positionAccuracy, direction, altitude }
}

/** @throws refusal `invalid-field`. */
export function readSentDetails(body: ImagePatch): SentDetails {
  return {
    title: textOf(titleKind.kind, body.title, 'title'),
    caption: textOf(captionKind.kind, body.caption, 'caption'),
    position: positionOf(body),
    ...captureOf(body),
  }
}

const readJson = createJsonReader(ImageDetails)

/** @throws refusals `unsupported-media-type`, `malformed-body`, `invalid-field`. */
export async function readUploadDetails(part: FormField | undefined): Promise<UploadDetails> {
  if (part === undefined) return noDetails
  if (part.type !== undefined && part.type !== 'application/json')
    throw refuse('unsupported-media-type', { detail: 'The part details must be application/json.' })
  const body = await readJson(part.bytes)
  return { ...readSentDetails(body), termsVersion: body.termsVersion }
}
