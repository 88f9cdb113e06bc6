// TypeBox schemas of what v2 takes and tells of images beside the image itself: details, trash, photo licence and terms.
import { Type, type Static } from 'typebox'
import { decidedStates } from '../image-states.ts'
import { givenSources, maxAccuracy, maxAltitude, minAltitude, type GivenSource } from '../taken-words.ts'
import {
  numberOrNull,
  openEnum,
  pageOf,
  strict,
  textOrNull,
  timestamp,
  timestampOrNull,
} from './schema-parts.ts'
import { linkRule, notBlank, openapiOnly, together } from './openapi-rules.ts'

/** How long an image that was deleted can be taken out of the trash (contract C23). */
export const trashDays = 30

export const maxLicenceCodeLength = 64
export const maxLicenceNameLength = 200
export const maxTermsTextLength = 20_000
export const maxTermsUrlLength = 2_000

const numberInRange = (range: { minimum: number; maximum: number }, description: string) =>
  Type.Optional(Type.Unsafe<number | null>({ type: ['number', 'null'], ...range, description }))

const degrees = (description: string) => Type.Optional(numberOrNull(description))

const details = {
  title: Type.Optional(
    Type.String({ description: 'At most 256 characters.', ...openapiOnly({ maxLength: 256 }) }),
  ),
  caption: Type.Optional(
    Type.String({ description: 'At most 256 characters.', ...openapiOnly({ maxLength: 256 }) }),
  ),
  lat: degrees('Degrees (WGS84). Send lat and lon together, or both null if the position is unknown.'),
  lon: degrees('Degrees (WGS84), together with lat.'),
  takenAt: Type.Optional(timestampOrNull('When it was taken, with the local UTC offset; null if unknown.')),
  positionSource: Type.Optional(
    Type.Unsafe<GivenSource | null>({
      type: ['string', 'null'],
      enum: [...givenSources, null],
      description:
        'Where the position came from: track, line, device or given. The default for a new position is given.',
    }),
  ),
  positionAccuracy: numberInRange(
    { minimum: 0, maximum: maxAccuracy },
    'Accuracy of the position in metres; null for a new position if omitted.',
  ),
  direction: numberInRange(
    { minimum: 0, maximum: 360 },
    'Direction of the camera, in degrees clockwise from true north.',
  ),
  altitude: numberInRange({ minimum: minAltitude, maximum: maxAltitude }, 'Metres above sea level.'),
}

/** What is left out stays as it is. */
const positionRule = together(
  [
    { type: 'number', minimum: -90, maximum: 90 },
    { type: 'number', minimum: -180, maximum: 180 },
  ],
  { type: 'null' },
  ['positionSource', 'positionAccuracy'],
)
export const ImagePatch = Type.Object(details, {
  ...strict,
  title: 'ImagePatch',
  ...openapiOnly(positionRule),
})
export type ImagePatch = Static<typeof ImagePatch>

/** The part `details` of an upload. */
export const ImageDetails = Type.Object(
  {
    ...details,
    termsVersion: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description:
          'The version of the terms that the user was shown; null if there were none. Refused if it is not the current version.',
      }),
    ),
  },
  { ...strict, title: 'ImageDetails', ...openapiOnly(positionRule) },
)
export type ImageDetails = Static<typeof ImageDetails>

export const TakenMonths = Type.Object(
  {
    months: Type.Array(
      Type.Object(
        {
          month: Type.String({
            description: 'Such as 2026-05, by the local date where the photo was taken.',
          }),
          images: Type.Integer(),
        },
        { ...strict, title: 'TakenMonth' },
      ),
    ),
  },
  { ...strict, title: 'TakenMonths' },
)
export type TakenMonths = Static<typeof TakenMonths>

export const ImagesAlong = Type.Object(
  {
    images: Type.Array(
      Type.Object(
        {
          imageID: Type.Integer(),
          milesAlong: Type.Number({ description: 'Distance along the line of the trail.' }),
          title: Type.String(),
        },
        { ...strict, title: 'ImageAlong' },
      ),
    ),
  },
  { ...strict, title: 'ImagesAlong' },
)
export type ImagesAlong = Static<typeof ImagesAlong>

export const TrashedImage = Type.Object(
  {
    imageID: Type.Integer(),
    trailID: Type.Integer(),
    trailName: Type.String(),
    title: Type.String(),
    caption: Type.String(),
    status: Type.Unsafe<string>(
      openEnum(decidedStates, 'Its state before it was deleted, and again after it is restored.'),
    ),
    submitterID: Type.Integer({ description: 'Account that uploaded it.' }),
    displayName: Type.String({ description: 'Display name of that account.' }),
    deletedAt: timestamp('When it was deleted (UTC).'),
    deletedBy: Type.Union(
      [Type.Object({ acctID: Type.Integer(), displayName: Type.String() }, strict), Type.Null()],
      { description: 'Who deleted it. Submitters get null if staff deleted it.' },
    ),
    goneAt: timestamp('When it can no longer be restored (UTC).'),
  },
  { ...strict, title: 'TrashedImage' },
)
export type TrashedImage = Static<typeof TrashedImage>

export const TrashSet = pageOf(TrashedImage, 'TrashSet')

const url = {
  type: 'string',
  format: 'uri',
  description: 'URL with more information (http or https).',
  ...openapiOnly(linkRule),
} as const

export interface Licence {
  readonly code: string
  readonly name: string
  readonly url?: string
}

const licence = Type.Unsafe<Licence | null>({
  title: 'PhotoLicence',
  type: ['object', 'null'],
  properties: {
    code: {
      type: 'string',
      description: 'SPDX identifier, such as CC-BY-4.0, or a code of your own.',
      ...openapiOnly({ minLength: 1, maxLength: maxLicenceCodeLength, pattern: notBlank }),
    },
    name: {
      type: 'string',
      ...openapiOnly({ minLength: 1, maxLength: maxLicenceNameLength, pattern: notBlank }),
    },
    url,
  },
  required: ['code', 'name'],
  ...strict,
  description: 'Licence under which photos are published; null if none is set.',
})

export interface Terms {
  readonly text: string
  readonly url?: string
}

const terms = Type.Unsafe<Terms | null>({
  title: 'UploadTerms',
  type: ['object', 'null'],
  properties: {
    text: {
      type: 'string',
      ...openapiOnly({ minLength: 1, maxLength: maxTermsTextLength, pattern: notBlank }),
    },
    url,
  },
  required: ['text'],
  ...strict,
  description: 'The terms that uploaders agree to; null if there are none.',
})

/** What an admin chooses. */
export const NewPhotoTerms = Type.Object({ licence, terms }, { ...strict, title: 'NewPhotoTerms' })
export type NewPhotoTerms = Static<typeof NewPhotoTerms>

export const PhotoTerms = Type.Object(
  {
    licence,
    terms,
    version: textOrNull('Changes with every edit; null if nothing is set. Stored with each upload.'),
    changedAt: Type.Union([timestamp('When it was set (UTC).'), Type.Null()]),
  },
  { ...strict, title: 'PhotoTerms' },
)
export type PhotoTerms = Static<typeof PhotoTerms>
