// GET /openapi.json: OpenAPI 3.1 of both surfaces, made from the endpoints themselves.
import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import { actions, isForSessionsOnly } from '../../auth/actions.ts'
import { isForVisitors, type AccessStatement } from '../../auth/guard.ts'
import { sessionCookieName } from '../../auth/sessions.ts'
import { Problem } from '../../shared/v2/schemas.ts'
import { refusals, type RefusalCode } from '../../errors.ts'
import {
  freeBodies,
  mergeOpenapiRules,
  nameOperations,
  shareParameters,
  shareProblems,
  shareSchemas,
  stateCharacters,
  withNotModified,
} from './openapi-document.ts'

/** Refusals that any endpoint may answer with, whatever it does. */
const everywhere: readonly RefusalCode[] = [
  'bad-request',
  'too-many-requests',
  'busy',
  'storage-unavailable',
  'insufficient-storage',
  'uri-too-long',
  'headers-too-large',
]

interface MediaContent {
  readonly schema: object
}

const titlesOf = (codes: readonly RefusalCode[]): string =>
  codes.map((code) => `${refusals[code].title} (${code})`).join('; ')

const problem = (description: string) => ({
  description,
  content: {
    'application/problem+json': { schema: Problem },
    'application/problem+xml': { schema: Problem },
  } satisfies Record<string, MediaContent>,
})

/**
 * The refusals of an operation for OpenAPI: one entry a status, naming each refusal that has it. `default` names what
 * any operation may answer with, and stands for the statuses that the operation has for no reason of its own.
 */
export function problemResponses(codes: readonly RefusalCode[]): Record<string, object> {
  const byStatus = Map.groupBy(new Set([...codes, ...everywhere]), (code) => refusals[code].status)
  const own = [...byStatus].filter(([, alike]) => alike.some((code) => codes.includes(code)))
  return {
    ...Object.fromEntries(own.map(([status, alike]) => [String(status), problem(titlesOf(alike))])),
    default: problem(everywhere.map((code) => `${refusals[code].status} ${titlesOf([code])}`).join('; ')),
  }
}

/** The ids in a path, as OpenAPI tells of them. */
export function idsInPath(...names: readonly string[]): object {
  const id = { type: 'integer', format: 'int64', minimum: 1 }
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, id])),
    required: [...names],
  }
}

/** @param repeat what becomes of the same request with the same key, for 24 hours. */
const idempotencyHeader = (repeat: string) => ({
  headers: {
    type: 'object',
    properties: {
      'Idempotency-Key': {
        type: 'string',
        pattern: '^[!-~]{1,255}$',
        description: `Identifies this request, such as a UUID. For 24 hours the same request with the same key ${repeat}`,
      },
    },
  },
})

/** Of what can be answered again. */
export const makesOnce = idempotencyHeader('gets the same response and creates nothing twice.')

/** Of what makes a secret. */
export const makesSecretOnce = idempotencyHeader(
  'creates nothing again: the secret was in the first response and cannot be shown again, so a repeated request is refused with 409.',
)

/** Where what was made is. */
export const locationHeader = { Location: { type: 'string', format: 'uri' } }

/** Of a file that is sent in ranges too. */
export const partRefusals: readonly RefusalCode[] = ['range-not-satisfiable']
export const partOfFile = (mediaType: string): object => ({
  206: {
    description: 'A range of the file.',
    content: { [mediaType]: { schema: { type: 'string', format: 'binary' } } },
  },
})

export interface V2OperationOptions {
  readonly summary: string
  readonly description: string
  /** Names of the ids in the path. */
  readonly ids?: readonly string[]
  readonly query?: TSchema
  readonly body?: TSchema
  /** What a success holds; nothing for an empty answer. */
  readonly answer?: TSchema
  /** Of a success; 200, or 204 where it is empty. */
  readonly status?: 200 | 201 | 202
  /** Whether a success says in the header Location where it is. */
  readonly isLocated?: boolean
  /** Those beyond the ones that any endpoint may answer with. */
  readonly refusals: readonly RefusalCode[]
}

/** Documents a v2 endpoint. */
export function v2Operation(options: V2OperationOptions): FastifySchema {
  const { summary, description, ids, query, body, answer, status = 200, isLocated = false } = options
  const located = isLocated ? { headers: locationHeader } : {}
  const bodyRefusals: RefusalCode[] = body
    ? ['malformed-body', 'invalid-field', 'body-too-large', 'request-timeout', 'unsupported-media-type']
    : []
  return {
    tags: ['v2'],
    summary,
    description,
    ...(ids ? { params: idsInPath(...ids) } : {}),
    ...(query ? { querystring: query } : {}),
    ...(body ? { body } : {}),
    response: {
      ...(answer === undefined
        ? { 204: { description: 'Done.', type: 'null' } }
        : {
            [status]: {
              description: 'Done.',
              ...located,
              content: { 'application/json': { schema: answer } },
            },
          }),
      ...problemResponses([
        ...options.refusals,
        ...bodyRefusals,
        'credential-required',
        'invalid-token',
        'issuer-unavailable',
      ]),
    },
  }
}

/** What opens an endpoint, in OpenAPI's words. */
function securityOf(access: AccessStatement | undefined): Record<string, string[]>[] {
  if (access === undefined || !('action' in access)) return []
  const scope = actions[access.action]
  const bearer = { oauth: scope === null ? [] : [scope] }
  if (isForSessionsOnly(access.action)) return [{ session: [] }]
  switch (access.credential) {
    case 'public':
      return [{}, bearer]
    case 'visitor':
      return [{}, bearer, { session: [] }]
    case 'reader':
      return [
        { apiKeyInQuery: [] },
        { apiKeyInHeader: [] },
        bearer,
        ...(isForVisitors(access) ? [{ pageOfThisSite: [] }] : []),
      ]
    case 'bearer':
      return [bearer, { session: [] }]
  }
}

const common: ReadonlySet<string> = new Set(everywhere)

export async function registerOpenapi(
  app: FastifyInstance,
  publicUrl: string,
  scopes: readonly string[],
): Promise<void> {
  const scopeMap = Object.fromEntries(scopes.map((scope) => [scope, scope]))
  app.addHook('onRoute', (route) => {
    const schema = route.schema
    if (!schema) return
    const response = withNotModified(route.method, schema.response)
    route.schema = {
      ...schema,
      ...(response === undefined ? {} : { response }),
      security: securityOf(route.config?.access),
    }
  })

  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Waymark',
        version: '2',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
        description:
          'Trail photos and hiking routes. The classic surface (JSON or XML) never changes; its paths work without a prefix and under /V1 and /v1.6. v2 is plain JSON. Every error is a problem document (RFC 9457).',
      },
      servers: [{ url: publicUrl }],
      tags: [
        { name: 'classic', description: 'The classic surface, with its original paths and formats.' },
        {
          name: 'v2',
          description:
            'JSON only, with numbers as numbers, RFC 3339 timestamps and the status of each image.',
        },
      ],
      components: {
        securitySchemes: {
          apiKeyInQuery: { type: 'apiKey', in: 'query', name: 'api_key' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: sessionCookieName(publicUrl),
            description: 'The browser session of a signed-in user, only for pages of this site.',
          },
          apiKeyInHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          pageOfThisSite: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Waymark-Page',
            description:
              'Not a secret: pages of this site send 1 to read published data. Pages of other origins cannot send it; programs use an API key.',
          },
          oauth: {
            type: 'oauth2',
            flows: {
              clientCredentials: { tokenUrl: `${publicUrl}/oauth/token`, scopes: scopeMap },
              authorizationCode: {
                authorizationUrl: `${publicUrl}/oauth/authorize`,
                tokenUrl: `${publicUrl}/oauth/token`,
                refreshUrl: `${publicUrl}/oauth/token`,
                scopes: scopeMap,
              },
            },
          },
        },
      },
    },
    hideUntagged: true,
    transformObject: (made) =>
      'openapiObject' in made
        ? shareParameters(
            shareProblems(
              shareSchemas(
                stateCharacters(mergeOpenapiRules(freeBodies(nameOperations(made.openapiObject)))),
              ),
              common,
            ),
          )
        : made.swaggerObject,
  })

  app.get('/openapi.json', { config: { access: { credential: 'open' } } }, async (request, reply) => {
    // With a query it would be another answer of 200 KB for each that somebody invents.
    if (request.url === '/openapi.json') request.cacheAnswer({ dependsOn: [] })
    return reply.header('Cache-Control', 'public, max-age=300').send(app.swagger())
  })
}
