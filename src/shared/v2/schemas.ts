// The v2 surface as TypeBox schemas: they drive types, checks and OpenAPI (contract D).
import { Type, type Static } from 'typebox'
import { decisions, imageStates } from '../image-states.ts'

const words = <const Words extends readonly string[]>(list: Words, options: { description: string }) =>
  Type.Unsafe<Words[number]>({ type: 'string', enum: [...list], ...options })

const strict = { additionalProperties: false } as const

const moment = (description: string) => Type.String({ format: 'date-time', description })

export const Image = Type.Object(
  {
    imageID: Type.Integer({ description: 'Unique id of the image; not guessable.' }),
    trailID: Type.Integer(),
    trailName: Type.String(),
    submitterID: Type.Integer({ description: 'Account that uploaded it.' }),
    displayName: Type.String({ description: 'Name of that account.' }),
    title: Type.String(),
    caption: Type.String(),
    status: words(
      imageStates.filter((state) => state !== 'deleted'),
      { description: 'Where review stands.' },
    ),
    edited: Type.Boolean({ description: 'Title or caption differ from those that review accepted.' }),
    lat: Type.Union([Type.Number(), Type.Null()], { description: 'Degrees, WGS84; null when unknown.' }),
    lon: Type.Union([Type.Number(), Type.Null()], { description: 'Degrees, WGS84; null when unknown.' }),
    mimeType: Type.String(),
    width: Type.Integer({ description: 'Pixels, upright.' }),
    height: Type.Integer({ description: 'Pixels, upright.' }),
    bytes: Type.Integer({ description: 'Size of the file as uploaded.' }),
    sha256: Type.String({ description: 'SHA-256 of the file as uploaded, hex.' }),
    licence: Type.Union([Type.String(), Type.Null()], {
      description: 'Code of the photo licence in force at upload; null where none was.',
    }),
    termsVersion: Type.Union([Type.String(), Type.Null()], {
      description: 'Version of the terms in force at upload; null where there were none.',
    }),
    postedAt: moment('Moment of upload, UTC.'),
    updatedAt: moment('Moment of the last change, UTC.'),
    urls: Type.Object(
      {
        sm: Type.String({ format: 'uri' }),
        150: Type.String({ format: 'uri' }),
        md: Type.String({ format: 'uri' }),
        640: Type.String({ format: 'uri' }),
        lg: Type.String({ format: 'uri' }),
      },
      { ...strict, description: 'Addresses of the five sizes.' },
    ),
  },
  { ...strict, title: 'Image' },
)
export type Image = Static<typeof Image>

export const ImageSet = Type.Object(
  {
    items: Type.Array(Image),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Cursor of the next page; null on the last.',
    }),
  },
  { ...strict, title: 'ImageSet' },
)

export const ReviewDecision = Type.Object(
  {
    decision: words(decisions, { description: 'What to do with the image.' }),
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
  },
  { title: 'Problem' },
)
