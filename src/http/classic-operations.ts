// The classic endpoints' route options: what opens each, and how OpenAPI describes it.
import type { RouteShorthandOptions } from 'fastify'
import type { AccessStatement } from '../auth/guard.ts'
import { trailImageDetails, type Shape } from '../contract/classic-shapes.ts'
import { imageSizes } from '../contract/image-sizes.ts'
import { imageMimeTypes } from '../contract/media-types.ts'
import type { RefusalCode } from '../errors.ts'
import { idsInPath, makesOnce, problemResponses } from './openapi.ts'

/** OpenAPI's words for a kind of the field table. */
function fieldSchema(name: string): object {
  if (name === 'length') return { type: 'number', minimum: 0, maximum: 1_000_000, description: 'Miles.' }
  if (name === 'dateCreated')
    return { type: 'string', description: 'MM/DD/YY, unless ROUTE_DATE is full; in XML YYYY-MM-DDThh:mm:ss.' }
  if (name === 'gpx') return { type: 'string', description: 'A GPX document of up to 8 MiB, or "".' }
  if (name.endsWith('ID')) return { type: 'integer', format: 'int64' }
  if (name === 'lat' || name === 'lon')
    return { type: 'string', description: 'Decimal degrees; "0" if unknown.' }
  if (name === 'postDate')
    return { type: 'string', description: 'YYYY-MM-DD hh:mm:ssZ; in XML YYYY-MM-DDThh:mm:ss.' }
  return { type: 'string' }
}

export function objectSchema(shape: Shape, names: readonly string[], isAnswer: boolean): object {
  return {
    type: 'object',
    title: shape.root,
    properties: Object.fromEntries(names.map((name) => [name, fieldSchema(name)])),
    ...(isAnswer ? { required: [...names] } : {}),
    xml: { name: shape.root },
  }
}

const jsonNames = trailImageDetails.jsonFields.map(({ name }) => name)
const xmlNames = trailImageDetails.xmlFields.map(({ name }) => name)
const writableNames = trailImageDetails.writableFields.map(({ name }) => name)
const inJson = objectSchema(trailImageDetails, jsonNames, true)
const inXml = objectSchema(trailImageDetails, xmlNames, true)

/** The two formats of an answer; `text/xml` is answered like `application/xml`. */
export const both = (json: object, xml: object) => ({
  'application/json': { schema: json },
  'application/xml': { schema: xml },
})

interface Operation {
  readonly access: AccessStatement
  readonly summary: string
  readonly description?: string
  readonly ids?: readonly string[]
  readonly query?: object
  readonly headers?: object
  readonly body?: object
  readonly answers: Record<string, object>
  readonly refusals: readonly RefusalCode[]
  readonly config?: object
}

/** Route options of a classic endpoint. */
export function operation(options: Operation) {
  const { access, summary, description, ids, query, headers, body, answers, refusals, config } = options
  return {
    config: { access, ...config },
    schema: {
      tags: ['classic'],
      summary,
      ...(description === undefined ? {} : { description }),
      ...(ids === undefined ? {} : { params: idsInPath(...ids) }),
      ...(query === undefined ? {} : { querystring: query }),
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body }),
      response: { ...answers, ...problemResponses(refusals) },
    },
  } satisfies RouteShorthandOptions
}

const reading: readonly RefusalCode[] = [
  'credential-required',
  'invalid-api-key',
  'invalid-token',
  'insufficient-scope',
  'issuer-unavailable',
]
export const writing: readonly RefusalCode[] = [
  'credential-required',
  'invalid-token',
  'insufficient-scope',
  'forbidden',
  'issuer-unavailable',
]
const apiKeyQuery = {
  type: 'object',
  properties: {
    api_key: { type: 'string', description: 'API key; X-API-Key and a bearer token do as well.' },
  },
}

export const listTrailImages = operation({
  access: { credential: 'reader', deed: 'list-images' },
  ids: ['trailID'],
  summary: 'List the images of a trail',
  description: 'All images that review has let through, in order of upload.',
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
  headers: { Location: { schema: { type: 'string', format: 'uri' } } },
  content: both(
    { type: 'integer', format: 'int64' },
    { type: 'integer', format: 'int64', xml: { name: 'long' } },
  ),
}

export const uploadImage = operation({
  access: { credential: 'bearer', deed: 'upload-image' },
  config: { isUpload: true },
  ids: ['trailID'],
  summary: 'Upload an image',
  description:
    'The raw bytes of a jpg, gif, png or bmp of at most 8 MB. The image is pending until it is reviewed.',
  ...makesOnce('image'),
  body: {
    content: Object.fromEntries(
      Object.values(imageMimeTypes).map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
    ),
  },
  answers: {
    200: {
      description:
        'The id of the image that the same bytes, sent without an Idempotency-Key, made in the last 24 hours; it is pending and its details were never set.',
      ...imageIdAnswer,
    },
    201: {
      description:
        'The id of the new image; again so for a request that is repeated with its Idempotency-Key.',
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
  access: { credential: 'reader', deed: 'view-image' },
  ids: ['trailID', 'imageID'],
  summary: 'Get the details of an image',
  description: 'A listed image for any API key or token; in any state for its submitter and staff.',
  query: apiKeyQuery,
  answers: { 200: { description: 'The details.', content: both(inJson, inXml) } },
  refusals: [...reading, 'invalid-trail-id', 'invalid-image-id', 'not-acceptable'],
})

const changes = objectSchema(trailImageDetails, writableNames, false)

export const changeImage = operation({
  access: { credential: 'bearer', deed: 'edit-image' },
  ids: ['trailID', 'imageID'],
  summary: 'Set the details of an image',
  description:
    'title, caption, lat and lon are taken, any other field is ignored. lat and lon left blank or 0 keep what is stored, such as the position in the photo.',
  body: { content: both(changes, changes) },
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
  [...Object.values(imageMimeTypes), 'image/webp'].map((type) => [
    type,
    { schema: { type: 'string', format: 'binary' } },
  ]),
)

export const viewImage = operation({
  access: { credential: 'public', deed: 'view-image' },
  config: { rate: 'views' },
  summary: 'View an image in one of its sizes',
  description:
    'Needs no credential, and shows pending images too; only the submitter and staff see rejected ones.',
  query: {
    type: 'object',
    properties: {
      id: { type: 'integer', format: 'int64' },
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
