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
  lat: degrees('Degrees, WGS84; together with lon, or both null for a position that is not known.'),
  lon: degrees('Degrees, WGS84; together with lat.'),
  takenAt: Type.Optional(
    timestampOrNull('When it was taken, with the offset at the place; null for unknown.'),
  ),
  positionSource: Type.Optional(
    Type.Unsafe<GivenSource | null>({
      type: ['string', 'null'],
      enum: [...givenSources, null],
      description:
        'Where the position came from: track, line, device or given. A new position without a source is given.',
    }),
  ),
  positionAccuracy: numberInRange(
    { minimum: 0, maximum: maxAccuracy },
    'Metres around the position; a new position without one has none.',
  ),
  direction: numberInRange(
    { minimum: 0, maximum: 360 },
    'Degrees clockwise from true north in which the camera looked.',
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
          'The version of the terms that the person saw, null for none; refused where it is not the one in force.',
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
          month: Type.String({ description: 'Such as 2026-05, by the date at the place.' }),
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
          milesAlong: Type.Number({ description: 'Along the line of the trail.' }),
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
      openEnum(decidedStates, 'What it was, and will be again once it is restored.'),
    ),
    submitterID: Type.Integer({ description: 'Account that uploaded it.' }),
    displayName: Type.String({ description: 'Name of that account.' }),
    deletedAt: timestamp('When it was deleted, UTC.'),
    deletedBy: Type.Union(
      [Type.Object({ acctID: Type.Integer(), displayName: Type.String() }, strict), Type.Null()],
      { description: 'Who deleted it; null to the submitter where it was staff.' },
    ),
    goneAt: timestamp('From when on it cannot be restored, UTC.'),
  },
  { ...strict, title: 'TrashedImage' },
)
export type TrashedImage = Static<typeof TrashedImage>

export const TrashSet = pageOf(TrashedImage, 'TrashSet')

const url = {
  type: 'string',
  format: 'uri',
  description: 'Where more is said, http or https.',
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
      description: 'As SPDX has it, such as CC-BY-4.0, or a word of your own.',
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
  description: 'Under which photos are shown; null where nothing is said.',
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
    version: textOrNull('Another with every change; null where nothing is chosen. Kept with each upload.'),
    changedAt: Type.Union([timestamp('When it was chosen, UTC.'), Type.Null()]),
  },
  { ...strict, title: 'PhotoTerms' },
)
export type PhotoTerms = Static<typeof PhotoTerms>
