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
    description: 'URL of the image in each size.',
  }),
)

/** Of the moment a photo was taken in; what somebody may not see is null (contract C43). */
export const captureSchemas = {
  takenAtZone: openEnumOrNull(
    takenZones,
    'Where the UTC offset came from: stated (in the file or by a person), position (the time zone there) or site (the setting SITE_TIME_ZONE).',
    'TakenAtZone',
  ),
  positionSource: openEnumOrNull(
    positionSources,
    'Where the position came from: exif (the file), track (by time), line (along the trail), device (its location) or given (entered).',
    'PositionSource',
  ),
  altitude: numberOrNull('Metres above sea level.'),
  takenOn: dateOrNull('Local date where it was taken; null if unknown or not shown.'),
  takenAt: timestampOrNull(
    'With the local UTC offset. For the submitter and staff; null for others (setting TAKEN_AT).',
  ),
  positionAccuracy: numberOrNull('Metres; visible to the same people as takenAt.'),
  direction: numberOrNull(
    'Direction of the camera, degrees clockwise from true north; visible to the same people as takenAt.',
  ),
}

export const Image = Type.Object(
  {
    imageID: Type.Integer({ description: 'Unique, unguessable ID of the image.' }),
    trailID: Type.Integer(),
    trailName: Type.String(),
    submitterID: Type.Integer({ description: 'Account that uploaded it.' }),
    displayName: Type.String({ description: 'Display name of that account.' }),
    title: Type.String(),
    caption: Type.String(),
    status: openEnum(decidedStates, 'State in the review.'),
    edited: Type.Boolean({ description: 'Whether title or caption differ from the accepted ones.' }),
    lat: numberOrNull('Degrees (WGS84); null if unknown.'),
    lon: numberOrNull('Degrees (WGS84); null if unknown.'),
    milesAlong: numberOrNull(
      'Distance along the line of its trail to the nearest point of it; null if that is more than 100 m away.',
    ),
    mimeType: Type.String(),
    width: Type.Integer({ description: 'Pixels, with the image upright.' }),
    height: Type.Integer({ description: 'Pixels, with the image upright.' }),
    bytes: Type.Integer({ description: 'Size of the file as uploaded.' }),
    sha256: Type.String({ description: 'SHA-256 of the file as uploaded, in hexadecimal.' }),
    licence: textOrNull('Code of the photo licence at the time of upload; null if there was none.'),
    termsVersion: textOrNull('Version of the terms at the time of upload; null if there were none.'),
    postedAt: timestamp('When it was uploaded (UTC).'),
    updatedAt: timestamp('When it was last changed (UTC).'),
    urls: ImageUrls,
    ...captureSchemas,
  },
  { ...strict, title: 'Image' },
)
export type Image = Static<typeof Image>

export const ImageSet = pageOf(Image, 'ImageSet')

export const ReviewDecision = Type.Object(
  {
    decision: stringEnum(decisions, 'The decision on the image.'),
    reason: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
        description: 'Code of the reason, such as blurred.',
      }),
    ),
    note: Type.Optional(
      Type.String({ maxLength: 2_000, description: 'For the history; up to 2,000 characters.' }),
    ),
  },
  { ...strict, title: 'ReviewDecision' },
)
export type ReviewDecision = Static<typeof ReviewDecision>

export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'URL of a page that explains the problem.' }),
    title: Type.String({ description: 'Fixed text for this type of problem.' }),
    status: Type.Integer(),
    detail: Type.String({ description: 'One sentence about this request.' }),
    instance: Type.String({ description: 'Request ID, as in the log.' }),
    oldestPosition: Type.Optional(
      Type.Integer({
        description:
          'For events-gone: position of the oldest available event; the lowest valid "since" is one less.',
      }),
    ),
    newestPosition: Type.Optional(
      Type.Integer({
        description:
          'For events-gone: position of the newest event, from which to continue after loading the full lists.',
      }),
    ),
  },
  { title: 'Problem' },
)
