// What every request passes before its endpoint: sane headers, CORS, and admission, in the order of C31.
import cors, { type FastifyCorsOptions } from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isForSessionsOnly } from '../auth/actions.ts'
import { anonymous, type AccessStatement, type Actor } from '../auth/guard.ts'
import { refuse } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import { createAdmission, type AdmissionDependencies } from './admission.ts'
import type { Connections } from './connections/connections.ts'
import type { PolicyName } from './rates/rate-limits.ts'
import { requireSaneRequest } from './connections/request-sanity.ts'
import type { RouteIndex } from './route-index.ts'
import { securityHeaders } from './security-headers.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling; set before any handler runs. */
    actor: Actor
  }
  interface FastifyContextConfig {
    /** Every endpoint states its credential; registration fails without it. */
    access?: AccessStatement
    /** The limit that a request without a good credential is counted in; `none` for health checks. */
    rate?: Extract<PolicyName, 'address' | 'views' | 'visitors' | 'token'> | 'none'
    /** Uploads are counted in a limit of their own besides the account's. */
    isUpload?: boolean
    /** The body may be as large as a photo: it has as much time, and a least speed. */
    hasLargeBody?: boolean
  }
}

export interface SafetyDependencies extends AdmissionDependencies {
  readonly publicUrl: string
  readonly hstsSubdomains: boolean
  readonly corsOrigins: readonly string[]
  /** Does a registered application come back to pages of this origin? */
  readonly isApplicationOrigin: (origin: string) => Promise<boolean>
  readonly index: RouteIndex
  readonly connections: Connections
}

/** Of an answer, what pages of other origins may read. */
export const exposedHeaders = [
  'Allow',
  'Content-Range',
  'ETag',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
] as const

const listedExposed = exposedHeaders.join(', ')

/** Never X-Waymark-Page: it says that a page of ours asks, because a page of any other origin may not send it. */
const allowedHeaders = [
  'Accept',
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Range',
  'X-API-Key',
].join(', ')

type CorsDone = (error: Error | null, options?: FastifyCorsOptions) => void

/** Open to pages of any origin, without cookies: what needs no credential, and what an API key in the address opens. */
function isOpenToPages(access: AccessStatement | undefined): boolean {
  return access !== undefined && access.credential !== 'bearer' && access.credential !== 'page'
}

/** What is asked for: the request itself, or the one that a preflight announces. */
function accessAsked(request: FastifyRequest, index: RouteIndex): AccessStatement | undefined {
  const announced = request.headers['access-control-request-method']
  return request.method === 'OPTIONS' && announced !== undefined
    ? index.accessAt(request.url, announced)
    : request.routeOptions.config.access
}

/** Open to pages of registered applications: what a bearer token opens. */
function isOpenToApplications(access: AccessStatement | undefined): boolean {
  return access?.credential === 'bearer' && !isForSessionsOnly(access.action)
}

async function registerCors(
  app: FastifyInstance,
  { corsOrigins: listed, index, isApplicationOrigin }: SafetyDependencies,
): Promise<void> {
  type AllowedOrigin = string[] | string | false

  function originFor(request: FastifyRequest): AllowedOrigin | Promise<AllowedOrigin> {
    const access = accessAsked(request, index)
    if (isOpenToPages(access) && listed.length === 0) return '*'
    const { origin } = request.headers
    const otherwise = listed.length > 0 ? [...listed] : false
    if (origin === undefined || !isOpenToApplications(access)) return otherwise
    return isApplicationOrigin(origin).then((isApplication) => (isApplication ? [origin] : otherwise))
  }

  const optionsFor = (request: FastifyRequest, origin: AllowedOrigin): FastifyCorsOptions => ({
    origin,
    strictPreflight: false,
    methods: request.method === 'OPTIONS' ? index.methodsAt(request.url) : [], // told in preflights alone
    allowedHeaders,
    exposedHeaders: listedExposed,
    maxAge: 600,
  })

  async function tellLater(request: FastifyRequest, origin: Promise<AllowedOrigin>, done: CorsDone) {
    let options: FastifyCorsOptions
    try {
      options = optionsFor(request, await origin)
    } catch (error) {
      return done(error as Error)
    }
    done(null, options)
  }

  await app.register(cors, {
    // Given a promise, the plugin would make every request wait a turn; hardly any has to look up its origin.
    delegator: (request: FastifyRequest, done: CorsDone) => {
      const origin = originFor(request)
      if (origin instanceof Promise) void tellLater(request, origin, done)
      else done(null, optionsFor(request, origin))
    },
  })
  // The plugin says Vary: Origin wherever it is asked for each request, and caches would keep every image once an origin;
  // without a list, what an origin gets depends on the address alone, but for what applications may read.
  if (listed.length > 0) return
  app.addHook('onRequest', (request, reply, done) => {
    if (!isOpenToApplications(accessAsked(request, index)) || request.headers.origin === undefined)
      void reply.removeHeader('Vary')
    done()
  })
}

/** Registers the checks, in the order of C31: the path is known by now; then rate, then credential. */
export async function registerSafety(app: FastifyInstance, dependencies: SafetyDependencies): Promise<void> {
  const { index, connections } = dependencies
  const fixedHeaders = securityHeaders(dependencies)

  app.decorateRequest('actor')
  app.decorateRequest('incoming')
  app.decorateRequest('refusedCredential', null)
  app.decorateRequest('charge', () => undefined) // of what is not counted

  app.addHook('onRoute', (route) => {
    const isPreflightCatchAll = route.method === 'OPTIONS' && route.url === '*'
    if (!isPreflightCatchAll && route.config?.access === undefined) {
      throw new Error(
        `${String(route.method)} ${route.url} declares no access; every endpoint must (auth/guard.ts)`,
      )
    }
  })

  let isStopping = false
  app.addHook('preClose', async () => {
    isStopping = true
  })

  // While stopping, an idle connection would otherwise hold the process for as long as keep-alive lasts.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isStopping || request.incoming.mustClose()) void reply.header('Connection', 'close')
    done(null, payload)
  })

  app.addHook('onRequest', (request, reply, done) => {
    connections.begin(request, reply)
    request.actor = anonymous
    void reply.headers(fixedHeaders)
    // On connections that were busy when the stop began; Fastify would say so in words of its own.
    if (isStopping) {
      throw refuse('busy', {
        detail: inEach(({ limits }) => limits.stopping),
        headers: { 'Retry-After': '5' },
      })
    }
    requireSaneRequest(request, app.limits)
    if (request.method !== 'OPTIONS') return done()
    const methods = index.methodsAt(request.url)
    if (methods.length === 0) throw refuse('not-found')
    void reply.header('Allow', methods.join(', '))
    done()
  })

  await registerCors(app, dependencies)

  app.addHook('onRequest', createAdmission(dependencies))
}
