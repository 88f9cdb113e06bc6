// The parts that the route options of both classic resources share: fields as OpenAPI schemas, both formats, usual refusals.
import type { RouteShorthandOptions } from 'fastify'
import type { AccessStatement } from '../../auth/guard.ts'
import type { Shape } from '../../shared/classic/classic-shapes.ts'
import { defaultFormType } from '../../shared/classic/media-types.ts'
import type { RefusalCode } from '../../errors.ts'
import { together } from '../../shared/v2/openapi-rules.ts'
import { idsInPath, problemResponses } from './openapi.ts'

/** OpenAPI's words for a kind of the field table. */
function fieldSchema(name: string, maxLength: number | undefined): object {
  if (name === 'length') return { type: 'number', minimum: 0, maximum: 1_000_000, description: 'Miles.' }
  if (name === 'dateCreated')
    return { type: 'string', description: 'MM/DD/YY, unless ROUTE_DATE is full; in XML YYYY-MM-DDThh:mm:ss.' }
  if (name === 'gpx')
    return {
      type: 'string',
      contentMediaType: 'application/gpx+xml',
      description: 'A GPX document of up to 8 MiB, or "".',
    }
  if (name.endsWith('ID')) return { type: 'integer', format: 'int64', minimum: 1 }
  if (name === 'lat' || name === 'lon')
    return { type: 'string', description: 'Decimal degrees; "0" if unknown.' }
  if (name === 'postDate')
    return { type: 'string', description: 'YYYY-MM-DD hh:mm:ssZ; in XML YYYY-MM-DDThh:mm:ss.' }
  return { type: 'string', ...(maxLength === undefined ? {} : { maxLength }) }
}

/** As many digits as are taken, in no other form than this. */
const coordinate = (whole: string) => ({
  type: 'string',
  pattern: String.raw`^-?(?:${whole})(?:\.\d{1,24})?$`,
})
const position = together([coordinate(String.raw`[0-8]?\d`), coordinate(String.raw`1[0-7]\d|\d?\d`)], {
  type: 'string',
  pattern: '^(?: |0)?$',
})

function maxLengthOf({ fields }: Shape, name: string): number | undefined {
  const kind = fields[name]?.kind
  return kind && 'maxCharacters' in kind ? Number(kind.maxCharacters) : undefined
}

/** @param title no two schemas have the same: it is the name of the component. */
export function objectSchema(
  shape: Shape,
  title: string,
  names: readonly string[],
  isAnswer: boolean,
): object {
  return {
    type: 'object',
    title,
    properties: Object.fromEntries(
      names.map((name) => [name, fieldSchema(name, isAnswer ? undefined : maxLengthOf(shape, name))]),
    ),
    ...(names.includes('lat') && !isAnswer ? position : {}),
    ...(isAnswer ? { required: [...names] } : {}),
    xml: { name: shape.root },
  }
}

/** The two formats, XML under both of its names (C6). */
export const both = (json: object, xml: object) => ({
  'application/json': { schema: json },
  'application/xml': { schema: xml },
  'text/xml': { schema: xml },
})

/** The default of curl, wget, PHP and Java, read by its first character (C6). */
const formTypedBody = {
  title: 'FormTypedBody',
  type: 'string',
  pattern: String.raw`^[{\[<]`,
  description:
    'Not form fields, but the same JSON or XML as for the other media types, sent with the default Content-Type of curl, wget, PHP or Java.',
}

/** A body in either format. */
export const eitherBody = (json: object, xml: object) => ({
  ...both(json, xml),
  [defaultFormType]: { schema: formTypedBody },
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

export const writing: readonly RefusalCode[] = [
  'credential-required',
  'invalid-token',
  'insufficient-scope',
  'forbidden',
  'issuer-unavailable',
]
