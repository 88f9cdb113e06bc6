// The classic image endpoints' route options: what opens each, and how OpenAPI describes it (contract A4, A5).
import { trailImageDetails } from '../shared/classic/classic-shapes.ts'
import { defaultFormType } from '../shared/classic/media-types.ts'
import { imageSizes, renditionMimeTypes } from '../shared/image-sizes.ts'
import { declarableTypes, imageMimeTypes } from '../shared/formats/image-formats.ts'
import type { RefusalCode } from '../errors.ts'
import { both, eitherBody, objectSchema, operation, writing } from '../http/openapi/classic-operation.ts'
import { locationHeader, makesOnce } from '../http/openapi/openapi.ts'

const jsonNames = trailImageDetails.jsonFields.map(({ name }) => name)
const xmlNames = trailImageDetails.xmlFields.map(({ name }) => name)
const writableNames = trailImageDetails.writableFields.map(({ name }) => name)
const inJson = objectSchema(trailImageDetails, 'TrailImageDetails', jsonNames, true)
const inXml = objectSchema(trailImageDetails, 'TrailImageDetailsInXml', xmlNames, true)

const reading: readonly RefusalCode[] = [
  'credential-required',
  'invalid-api-key',
  'invalid-token',
  'insufficient-scope',
  'issuer-unavailable',
]
const apiKeyQuery = {
  type: 'object',
  properties: {
    api_key: { type: 'string', description: 'API key; X-API-Key or a bearer token also work.' },
  },
}

export const listTrailImages = operation({
  access: { credential: 'reader', action: 'list-images' },
  ids: ['trailID'],
  summary: 'List the images of a trail',
  description: 'All published images, in order of upload.',
  query: apiKeyQuery,
  answers: {
    200: {
      description: 'The list.',
      content: both(
        { type: 'array', items: inJson },
        { type: 'array', items: inXml, xml: { name: `ArrayOf${trailImageDetails.root}`, wrapped: true } },
      ),
    },
  },
  refusals: [...reading, 'invalid-trail-id', 'not-acceptable'],
})

const imageIdAnswer = {
  headers: locationHeader,
  content: both(
    { type: 'integer', format: 'int64' },
    { type: 'integer', format: 'int64', xml: { name: 'long' } },
  ),
}

export const uploadImage = operation({
  access: { credential: 'bearer', action: 'upload-image' },
  config: { isUpload: true },
  ids: ['trailID'],
  summary: 'Upload an image',
  description:
    'The raw bytes of a JPEG, GIF, PNG or BMP of at most 8 MB, whichever of these media types is declared, or none: the bytes decide. The image is pending until it is reviewed.',
  ...makesOnce,
  body: {
    content: Object.fromEntries(
      [...declarableTypes, defaultFormType].map((type) => [
        type,
        { schema: { type: 'string', format: 'binary' } },
      ]),
    ),
  },
  answers: {
    200: {
      description:
        'The ID of the pending image that the same bytes created in the last 24 hours without an Idempotency-Key, if its details were never set.',
      ...imageIdAnswer,
    },
    201: {
      description: 'The ID of the new image; the same for a request repeated with its Idempotency-Key.',
      ...imageIdAnswer,
    },
  },
  refusals: [
    ...writing,
    'quota-reached',
    'invalid-trail-id',
    'not-acceptable',
    'invalid-header',
    'idempotency-key-reused',
    'request-timeout',
    'empty-image',
    'image-too-large',
    'unsupported-image-type',
    'unsupported-media-type',
    'broken-image',
    'image-dimensions-too-large',
  ],
})

export const getImage = operation({
  access: { credential: 'reader', action: 'view-image' },
  ids: ['trailID', 'imageID'],
  summary: 'Get the details of an image',
  description: 'Published images with any API key or token; in any state for the submitter and staff.',
  query: apiKeyQuery,
  answers: { 200: { description: 'The details.', content: both(inJson, inXml) } },
  refusals: [...reading, 'invalid-trail-id', 'invalid-image-id', 'not-acceptable'],
})

const changes = objectSchema(trailImageDetails, 'TrailImageDetailsChange', writableNames, false)

export const changeImage = operation({
  access: { credential: 'bearer', action: 'edit-image' },
  ids: ['trailID', 'imageID'],
  summary: 'Set the details of an image',
  description:
    'title, caption, lat and lon are used; other fields are ignored. If lat and lon are blank or 0, the stored position is kept, such as the one from the photo.',
  body: { content: eitherBody(changes, changes) },
  answers: {
    200: {
      description: 'Done.',
      content: both({ type: 'boolean' }, { type: 'boolean', xml: { name: 'boolean' } }),
    },
  },
  refusals: [
    ...writing,
    'invalid-trail-id',
    'invalid-image-id',
    'not-acceptable',
    'unsupported-media-type',
    'precondition-failed',
    'malformed-body',
    'invalid-field',
    'body-too-large',
    'request-timeout',
  ],
})

const files = Object.fromEntries(
  [...imageMimeTypes, renditionMimeTypes.webp].map((type) => [
    type,
    { schema: { type: 'string', format: 'binary' } },
  ]),
)

export const viewImage = operation({
  access: { credential: 'public', action: 'view-image' },
  config: { rate: 'views' },
  summary: 'View an image in one of its sizes',
  description:
    'Requires no credential and includes pending images; only the submitter and staff see rejected ones.',
  query: {
    type: 'object',
    properties: {
      id: { type: 'integer', format: 'int64', minimum: 1 },
      t: { type: 'string', enum: [...imageSizes], default: 'lg' },
      f: { type: 'string', enum: ['webp'], description: 'webp for WebP; size lg keeps its format.' },
    },
    required: ['id'],
  },
  answers: {
    200: { description: 'The file.', content: files },
    206: { description: 'A range of size lg.', content: files },
    304: { description: 'Unchanged (If-None-Match).', type: 'null' },
  },
  refusals: ['invalid-query', 'invalid-image-id', 'range-not-satisfiable'],
})
