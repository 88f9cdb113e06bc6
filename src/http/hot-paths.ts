// The hottest reads, answered ahead of Fastify and its generic hooks, which cost three times what the read does.
//
// Whatever those hooks owe is done here too, by the functions they use themselves: the credential, the rate limit, the
// headers, the log line, the metrics. Only a request that is plain in every way is taken, and only its success is
// answered: any other request, any refusal, any failure and any doubt goes the ordinary way from its start, with nothing
// counted and nothing written. So there is one place that refuses, and tests/http/hot-paths.test.ts holds both ways to the
// same answers.
//
//   request ─ plain? ─ known path? ─▶ identify ─▶ answer ─▶ count ─▶ written
//                │ no       │ no          │ throws   │ none    │ limit reached
//                └──────────┴─────────────┴──────────┴─────────┴──▶ Fastify
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AccessStatement, Actor } from '../auth/guard.ts'
import type { Identify } from '../auth/identify.ts'
import type { ServerLimits } from './limits.ts'
import { createPlainRequests } from './plain-request.ts'
import type { RateLimits } from './rate-limits.ts'
import { describeBody, type Pieces } from './representation.ts'
import { exposedHeaders } from './safety.ts'
import { securityHeaders } from './security-headers.ts'
import type { RequestFacts, Traffic } from './traffic.ts'

/** A path that a hot endpoint knows. */
export interface HotRequest {
  /** The path as the router would see it. */
  readonly path: string
  /** @returns the body of the 200, or undefined where the ordinary way has to answer; it may throw for the same. */
  readonly answer: (actor: Actor) => Promise<Pieces | undefined>
}

export interface HotEndpoint {
  /** Of the same endpoint as Fastify knows it, by which the metrics tell of it. */
  readonly pattern: string
  readonly access: AccessStatement
  /** @param path as it was sent, without the mount path; it may be anything. */
  readonly match: (path: string) => HotRequest | undefined
}

export interface HotPathsDependencies {
  readonly identify: Identify
  readonly rateLimits: RateLimits
  readonly traffic: Traffic
  readonly publicUrl: string
  readonly corsOrigins: readonly string[]
  readonly limits: ServerLimits
}

/** What the hooks of safety.ts and admission.ts say of every such answer to a request without an Origin. */
function fixedHeadersOf({ publicUrl, corsOrigins }: HotPathsDependencies): readonly string[] {
  const isListed = corsOrigins.length > 0
  const headers = {
    ...securityHeaders(publicUrl),
    vary: isListed ? 'Origin, Authorization, Accept' : 'Authorization, Accept',
    ...(isListed ? { 'access-control-expose-headers': exposedHeaders.join(', ') } : {}),
  }
  return Object.entries(headers).flatMap(([name, value]) => [name.toLowerCase(), value])
}

export function createHotPaths(dependencies: HotPathsDependencies) {
  const { identify, rateLimits, traffic, limits } = dependencies
  const isPlain = createPlainRequests(limits)
  const fixedHeaders = fixedHeadersOf(dependencies)
  const endpoints: HotEndpoint[] = []
  let isStopping = false
  let answered = 0

  /** @returns false where the ordinary way has to answer. */
  async function answer(
    { access }: HotEndpoint,
    asked: HotRequest,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<boolean> {
    const { authorization } = request.headers
    const actor = await identify(access, { authorization, apiKeys: [], session: undefined })
    if (actor.kind !== 'account') return false
    const found = await asked.answer(actor)
    const body = await found?.pieces()
    if (found === undefined || typeof body !== 'string') return false // a long one comes in pieces
    const { etag, cacheControl, contentType } = describeBody(actor, found)
    const rate = await rateLimits.spendIfLeft('account', String(actor.accountId))
    if (rate === undefined) return false
    if (response.closed) return true // told already: the client has left
    const headers = [...fixedHeaders]
    for (const [name, value] of Object.entries(rate)) headers.push(name.toLowerCase(), value)
    headers.push('etag', etag, 'cache-control', cacheControl, 'content-type', contentType)
    headers.push('content-length', String(Buffer.byteLength(body)))
    if (isStopping) response.shouldKeepAlive = false
    response.writeHead(200, headers).end(body)
    answered += 1
    return true
  }

  function find(path: string) {
    for (const endpoint of endpoints) {
      const asked = endpoint.match(path)
      if (asked) return { endpoint, asked }
    }
    return undefined
  }

  function factsOf(pattern: string, url: string): () => RequestFacts {
    return () => ({ id: randomUUID(), method: 'GET', url, pattern, isUpload: false, refusal: null })
  }

  return {
    add: (endpoint: HotEndpoint): void => {
      const { credential } = endpoint.access
      if (credential !== 'bearer')
        throw new Error(`${endpoint.pattern}: only what a token opens is counted here`)
      endpoints.push(endpoint)
    },

    /** From now on each request is told that the server is stopping, which is Fastify's. */
    stop: (): void => {
      isStopping = true
    },

    /** How many were answered here. */
    answered: (): number => answered,

    /**
     * Called when it is the request's turn on its connection.
     * @param path of the request, without the mount path.
     * @param otherwise answers in the ordinary way; called later, and only where this returns true.
     * @returns false for a request that is none of these: it is untouched.
     */
    take: (
      { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
      path: string,
      otherwise: () => void,
    ): boolean => {
      if (isStopping) return false
      const found = find(path)
      if (found === undefined || !isPlain(request)) return false
      const { endpoint, asked } = found
      const address = request.socket.remoteAddress ?? ''
      const forget = traffic.follow(response, address, factsOf(endpoint.pattern, asked.path))
      const serve = async (): Promise<void> => {
        const isAnswered = await answer(endpoint, asked, request, response).catch(() => response.headersSent)
        if (isAnswered || response.closed) return
        forget()
        otherwise()
      }
      void serve()
      return true
    },
  }
}

export type HotPaths = ReturnType<typeof createHotPaths>
