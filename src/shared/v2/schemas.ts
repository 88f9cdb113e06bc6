// The v2 surface as TypeBox schemas: they drive types, checks and OpenAPI (contract D).
import { Type, type Static } from 'typebox'
import { imageSizes, type ImageSize } from '../image-sizes.ts'
import { decidedStates, decisions } from '../image-states.ts'
import { positionSources, takenZones } from '../taken-words.ts'
import {
  dateOrNull,
  numberOrNull,
  openEnum,
  openEnumOrNull,
  pageOf,
  strict,
  stringEnum,
  textOrNull,
  timestamp,
  timestampOrNull,
} from './schema-parts.ts'

/** Addresses of an image, one for each size that images are served in. */
export const ImageUrls = Type.Unsafe<Readonly<Record<ImageSize, string>>>(
  Type.Object(Object.fromEntries(imageSizes.map((size) => [size, Type.String({ format: 'uri' })])), {
    ...strict,
    title: 'ImageUrls',
    description: 'Its address in each size.',
  }),
)

/** Of the moment a photo was taken in; what somebody may not see is null (contract C43). */
export const captureSchemas = {
  takenAtZone: openEnumOrNull(
    takenZones,
    'Where the offset of the time came from: stated (in the file or by a person), position (the time zone there) or site (that of the installation).',
    'TakenAtZone',
  ),
  positionSource: openEnumOrNull(
    positionSources,
    'Where the position came from: exif (the file), track (by time), line (along the trail), device (its own position) or given.',
    'PositionSource',
  ),
  altitude: numberOrNull('Metres above sea level.'),
  takenOn: dateOrNull('Date there; null when unknown or not shown.'),
  takenAt: timestampOrNull('With the offset there. For the submitter and staff; to others null (TAKEN_AT).'),
  positionAccuracy: numberOrNull('Metres; shown like takenAt.'),
  direction: numberOrNull('Of the camera, degrees clockwise from true north; shown like takenAt.'),
}

export const Image = Type.Object(
  {
    imageID: Type.Integer({ description: 'Unique id of the image; not guessable.' }),
    trailID: Type.Integer(),
    trailName: Type.String(),
    submitterID: Type.Integer({ description: 'Account that uploaded it.' }),
    displayName: Type.String({ description: 'Name of that account.' }),
    title: Type.String(),
    caption: Type.String(),
    status: openEnum(decidedStates, 'Where review stands.'),
    edited: Type.Boolean({ description: 'Title or caption differ from those that review accepted.' }),
    lat: numberOrNull('Degrees, WGS84; null when unknown.'),
    lon: numberOrNull('Degrees, WGS84; null when unknown.'),
    milesAlong: numberOrNull(
      'Along the line of its trail, to the place that is nearest; null where that is more than 100 m away.',
    ),
    mimeType: Type.String(),
    width: Type.Integer({ description: 'Pixels, upright.' }),
    height: Type.Integer({ description: 'Pixels, upright.' }),
    bytes: Type.Integer({ description: 'Size of the file as uploaded.' }),
    sha256: Type.String({ description: 'SHA-256 of the file as uploaded, hex.' }),
    licence: textOrNull('Code of the photo licence in force at upload; null where none was.'),
    termsVersion: textOrNull('Version of the terms in force at upload; null where there were none.'),
    postedAt: timestamp('Moment of upload, UTC.'),
    updatedAt: timestamp('Moment of the last change, UTC.'),
    urls: ImageUrls,
    ...captureSchemas,
  },
  { ...strict, title: 'Image' },
)
export type Image = Static<typeof Image>

export const ImageSet = pageOf(Image, 'ImageSet')

export const ReviewDecision = Type.Object(
  {
    decision: stringEnum(decisions, 'What to do with the image.'),
    reason: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
        description: 'Code of the reason, such as blurred.',
      }),
    ),
    note: Type.Optional(
      Type.String({ maxLength: 2_000, description: 'For the audit; up to 2,000 characters.' }),
    ),
  },
  { ...strict, title: 'ReviewDecision' },
)
export type ReviewDecision = Static<typeof ReviewDecision>

export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'Resolves to a page that explains the problem.' }),
    title: Type.String({ description: 'The exact message.' }),
    status: Type.Integer(),
    detail: Type.String({ description: 'One sentence about this request.' }),
    instance: Type.String({ description: 'The request id, as it stands in the log.' }),
    oldestPosition: Type.Optional(
      Type.Integer({ description: 'Of events-gone: the oldest event that is kept; "since" may be 1 less.' }),
    ),
    newestPosition: Type.Optional(
      Type.Integer({
        description: 'Of events-gone: the newest event, from which to go on once the full lists were loaded.',
      }),
    ),
  },
  { title: 'Problem' },
)
