// What every request passes before its endpoint: sane headers, CORS, rate limits, and the credential (contract C31).
import cors from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { anonymous, type AccessStatement, type Actor } from '../auth/guard.ts'
import type { Credentials, Identify } from '../auth/identify.ts'
import { Refusal, refuse } from '../errors.ts'
import { addVary } from './codec.ts'
import { addressBucket, type PolicyName, type RateLimits } from './rate-limits.ts'
import type { RouteIndex } from './route-index.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling; set before any handler runs. */
    actor: Actor
  }
  interface FastifyContextConfig {
    /** Every endpoint states its credential; registration fails without it. */
    access?: AccessStatement
    /** The limit that a request without a good credential is counted in; `none` for health checks. */
    rate?: Extract<PolicyName, 'address' | 'views' | 'token'> | 'none'
    /** Uploads are counted in a limit of their own besides the account's. */
    isUpload?: boolean
  }
}

const mostHeaders = 100
const longestUrl = 8 * 1024

export interface SafetyDependencies {
  readonly publicUrl: string
  readonly corsOrigins: readonly string[]
  readonly identify: Identify
  readonly rateLimits: RateLimits
  readonly index: RouteIndex
}

/** Keys looked at in one request; who sends more is guessing. */
const mostKeys = 3

/** `api_key` in the query and X-API-Key, either or both. */
function credentialsOf(request: FastifyRequest): Credentials {
  const { api_key: inQuery } = request.query as Record<string, unknown>
  const given = [inQuery, request.headers['x-api-key']].flat().filter((key) => typeof key === 'string')
  return { authorization: request.headers.authorization, apiKeys: given.slice(0, mostKeys) }
}

/** Open to pages of any origin, without cookies: what needs no credential, and what an API key in the address opens. */
function isOpenToPages(access: AccessStatement | undefined): boolean {
  return access !== undefined && access.credential !== 'bearer'
}

/** What is asked for: the request itself, or the one that a preflight announces. */
function accessAsked(request: FastifyRequest, index: RouteIndex): AccessStatement | undefined {
  const announced = request.headers['access-control-request-method']
  return request.method === 'OPTIONS' && announced !== undefined
    ? index.accessAt(request.url, announced)
    : request.routeOptions.config.access
}

async function registerCors(
  app: FastifyInstance,
  listed: readonly string[],
  index: RouteIndex,
): Promise<void> {
  await app.register(cors, {
    delegator: (request, done) => {
      const origin =
        listed.length > 0 ? [...listed] : isOpenToPages(accessAsked(request, index)) ? '*' : false
      done(null, {
        origin,
        strictPreflight: false,
        methods: index.methodsAt(request.url),
        allowedHeaders: [
          'Accept',
          'Authorization',
          'Content-Type',
          'If-Match',
          'If-None-Match',
          'Range',
          'X-API-Key',
        ],
        exposedHeaders: ['ETag', 'Link', 'Location', 'RateLimit', 'RateLimit-Policy', 'Retry-After'],
        maxAge: 600,
      })
    },
  })
  // The plugin says Vary: Origin wherever it is asked for each request, and caches would keep every image once an origin;
  // without a list, what an origin gets depends on the address alone.
  if (listed.length > 0) return
  app.addHook('onRequest', async (_request, reply) => {
    void reply.removeHeader('Vary')
  })
}

/** Registers the checks, in the order of C31: the path is known by now; then rate, then credential. */
export async function registerSafety(app: FastifyInstance, dependencies: SafetyDependencies): Promise<void> {
  const { publicUrl, identify, rateLimits, index } = dependencies
  const isSecure = publicUrl.startsWith('https:')

  app.decorateRequest('actor')

  app.addHook('onRoute', (route) => {
    const isPreflightCatchAll = route.method === 'OPTIONS' && route.url === '*'
    if (!isPreflightCatchAll && route.config?.access === undefined) {
      throw new Error(
        `${String(route.method)} ${route.url} states no access; every endpoint must (auth/guard.ts)`,
      )
    }
  })

  let isStopping = false
  app.addHook('preClose', async () => {
    isStopping = true
  })

  app.addHook('onRequest', async (request, reply) => {
    request.actor = anonymous
    void reply.headers({
      'X-Content-Type-Options': 'nosniff', // stops a browser from running an upload as something else
      'Referrer-Policy': 'no-referrer', // stops an API key in the address from travelling on in Referer
      ...(isSecure ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
    })
    // On connections that were busy when the stop began; Fastify would say so in words of its own.
    if (isStopping) {
      throw refuse('busy', { detail: 'The server is stopping.', headers: { 'Retry-After': '5' } })
    }
    if (request.raw.rawHeaders.length > 2 * mostHeaders) throw refuse('headers-too-large')
    if (request.originalUrl.length > longestUrl) throw refuse('uri-too-long')
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw refuse('bad-request', { detail: 'A request names its Host.' })
    }
    if (request.method !== 'OPTIONS') return
    const methods = index.methodsAt(request.url)
    if (methods.length === 0) throw refuse('not-found')
    void reply.header('Allow', methods.join(', '))
  })

  await registerCors(app, dependencies.corsOrigins, index)

  app.addHook('onRequest', async (request, reply) => {
    const { access, rate = 'address' } = request.routeOptions.config
    if (request.is404 || access === undefined) return
    if (access.credential === 'reader' || access.credential === 'bearer') addVary(reply, 'Authorization')
    await identifyActor(request, reply, access, rate)
  })

  async function spend(reply: FastifyReply, policy: PolicyName, bucket: string): Promise<void> {
    void reply.headers(await rateLimits.spend(policy, bucket))
  }

  /** @returns whether the request was counted. What is limited by address whoever asks, and calls without a credential. */
  async function spendByAddress(
    request: FastifyRequest,
    reply: FastifyReply,
    access: AccessStatement,
    rate: PolicyName | 'none',
  ): Promise<boolean> {
    if (rate === 'none') return false
    const { authorization, apiKeys } = credentialsOf(request)
    const isAnonymous = access.credential === 'open' || (authorization === undefined && apiKeys.length === 0)
    if (rate === 'address' && !isAnonymous) return false
    await spend(reply, rate, addressBucket(request.ip))
    return true
  }

  async function identifyActor(
    request: FastifyRequest,
    reply: FastifyReply,
    access: AccessStatement,
    rate: PolicyName | 'none',
  ): Promise<void> {
    const isCounted = await spendByAddress(request, reply, access, rate)
    try {
      request.actor = await identify(access, credentialsOf(request))
    } catch (error) {
      // A wrong credential is counted before it is refused: guessing ends in 429, whatever is guessed.
      if (error instanceof Refusal && !isCounted) await spend(reply, 'address', addressBucket(request.ip))
      throw error
    }
    const { actor } = request
    if (actor.kind === 'key') await spend(reply, 'key', actor.keyHash)
    if (actor.kind === 'account' && rate === 'address') await spend(reply, 'account', String(actor.accountId))
    if (actor.kind === 'account' && request.routeOptions.config.isUpload === true) {
      await spend(reply, 'uploads', String(actor.accountId))
    }
  }
}
