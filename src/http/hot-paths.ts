// The hottest reads, answered ahead of Fastify and its generic hooks, which cost three times what the read does.
//
// Whatever those hooks owe is done here too, by the functions they use themselves: the credential, the rate limit, the
// headers, the log line, the metrics. Only a request that is plain in every way is taken, and only its success is
// answered: any other request, any refusal, any failure and any doubt goes the ordinary way from its start, with nothing
// counted and nothing written. So there is one place that refuses, and tests/http/hot-*.test.ts hold both ways to the
// same answers. A store that was waited for in vain is not asked again there: it would take twice as long to refuse.
//
//   request ─ known path? ─ plain? ─▶ identify ─▶ answer ─▶ count ─▶ written
//                │ no         │ no       │ throws   │ none    │ limit reached
//                └────────────┴──────────┴──────────┴─────────┴──▶ Fastify
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { anonymous, type AccessStatement, type Actor } from '../auth/guard.ts'
import type { Identify } from '../auth/identify.ts'
import type { ServerLimits } from './limits.ts'
import { isForWantOfStorage } from './refusals.ts'
import { createPlainRequests, plainHeader, type PlainRules } from './plain-request.ts'
import { addressBucket, costOfBytes, type PolicyName, type RateLimits } from './rates/rate-limits.ts'
import { exposedHeaders } from './safety.ts'
import { securityHeaders } from './security-headers.ts'
import type { RequestFacts, Traffic } from './connections/traffic.ts'

/** An answer, but for the headers that every answer has and those of the rate limit. */
export interface HotAnswer {
  readonly status: 200 | 304
  /** Names in lower case, each followed by its value, Content-Length among them. */
  readonly headers: readonly string[]
  /** A short one is best a text: it leaves with its headers in one write. In latin1 each character stands for a byte. */
  readonly body: string | Uint8Array
  readonly encoding: 'utf8' | 'latin1'
  /**
   * Of a body that is large: told before anything is counted or written, so that its memory is known to be in use.
   * @returns what tells the end; undefined where it must not be lent, and the ordinary way has to answer.
   */
  readonly lend?: () => (() => void) | undefined
}

/** A path that a hot endpoint knows. */
export interface HotRequest {
  /** The path as the router would see it. */
  readonly path: string
  /** The API key in the query, if there is one. */
  readonly apiKey?: string | undefined
  /** @returns undefined where the ordinary way has to answer; it may throw for the same. */
  readonly answer: (
    actor: Actor,
    request: IncomingMessage,
  ) => HotAnswer | undefined | Promise<HotAnswer | undefined>
}

export interface HotEndpoint {
  /** Of the same endpoint as Fastify knows it, by which the metrics tell of it. */
  readonly pattern: string
  readonly access: AccessStatement
  readonly plain: PlainRules
  /** Vary of its answers to requests without an Origin. */
  readonly vary: string | undefined
  /** @param url as it was sent, without the mount path; it may be anything. */
  readonly match: (url: string) => HotRequest | undefined
}

export interface HotPathsDependencies {
  readonly identify: Identify
  readonly rateLimits: RateLimits
  readonly traffic: Traffic
  readonly publicUrl: string
  readonly hstsSubdomains: boolean
  readonly corsOrigins: readonly string[]
  readonly limits: ServerLimits
  /** What the limits by address count, and the log tells. */
  readonly addressOf: (request: IncomingMessage) => string
}

/** Pages of any origin may read it, and are told so whoever asks. */
const isOpenToAll = ({ access }: HotEndpoint, corsOrigins: readonly string[]): boolean =>
  corsOrigins.length === 0 && access.credential !== 'bearer'

/** What the hooks of safety.ts and admission.ts say of every such answer to a request without an Origin. */
function fixedHeadersOf(
  endpoint: HotEndpoint,
  dependencies: Pick<HotPathsDependencies, 'publicUrl' | 'hstsSubdomains' | 'corsOrigins'>,
): readonly string[] {
  const { corsOrigins } = dependencies
  const isListed = corsOrigins.length > 0
  const { vary } = endpoint
  const isOpen = isOpenToAll(endpoint, corsOrigins)
  const varies = [...(isListed ? ['Origin'] : []), ...(vary === undefined ? [] : [vary])]
  const headers = {
    ...securityHeaders(dependencies),
    ...(varies.length > 0 ? { vary: varies.join(', ') } : {}),
    ...(isOpen ? { 'access-control-allow-origin': '*' } : {}),
    ...(isListed || isOpen ? { 'access-control-expose-headers': exposedHeaders.join(', ') } : {}),
  }
  return Object.entries(headers).flatMap(([name, value]) => [name.toLowerCase(), value])
}

/** What fails sooner may do better on a new connection, as after a database began again. */
const inVainAfterMs = 500

interface Known {
  readonly endpoint: HotEndpoint
  readonly isPlain: (request: IncomingMessage) => boolean
  readonly fixedHeaders: readonly string[]
}

interface Arrival {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

interface Asking extends Arrival {
  readonly asked: HotRequest
  readonly address: string
}

export function createHotPaths(dependencies: HotPathsDependencies) {
  const { identify, rateLimits, traffic, limits, addressOf, corsOrigins } = dependencies
  const endpoints: Known[] = []
  const failed = new WeakMap<IncomingMessage, Error>()
  let isStopping = false
  let answered = 0

  /** Images that are listed are the same to everybody: whoever asks, what comes with the request changes nothing. */
  function actorOf({ access }: HotEndpoint, { apiKey }: HotRequest, request: IncomingMessage) {
    if (access.credential === 'public') return anonymous
    const authorization = plainHeader(request, 'authorization')
    const apiKeys = [apiKey, plainHeader(request, 'x-api-key')].filter((key) => key !== undefined)
    return identify(access, { authorization, apiKeys, session: undefined, isFromOurPage: false })
  }

  function policyOf(actor: Actor, address: string): readonly [PolicyName, string] {
    if (actor.kind === 'key') return ['key', actor.keyHash]
    return actor.kind === 'account' ? ['account', String(actor.accountId)] : ['views', addressBucket(address)]
  }

  /** @returns false where the ordinary way has to answer. */
  function send({ fixedHeaders }: Known, actor: Actor, found: HotAnswer | undefined, of: Asking): boolean {
    if (found === undefined) return false
    const { response, address } = of
    if (response.closed) return true // told already: the client has left
    const [policy, bucket] = policyOf(actor, address)
    const giveBack = found.lend?.()
    if (found.lend !== undefined && giveBack === undefined) return false
    // At once: whatever comes between would leave it lent for ever.
    if (giveBack !== undefined) response.once('close', giveBack)
    const rate = rateLimits.spendIfLeft(policy, bucket, costOfBytes(found.body.length))
    if (rate === undefined) {
      if (giveBack !== undefined) response.off('close', giveBack)
      giveBack?.()
      return false
    }
    if (isStopping) response.shouldKeepAlive = false
    response.writeHead(found.status, fixedHeaders.concat(found.headers, rate))
    response.end(found.body, found.encoding)
    answered += 1
    return true
  }

  function answerAs(known: Known, actor: Actor, of: Asking): boolean | Promise<boolean> {
    if (actor.kind === 'anonymous' && known.endpoint.access.credential !== 'public') return false
    const found = of.asked.answer(actor, of.request)
    return found instanceof Promise
      ? found.then((made) => send(known, actor, made, of))
      : send(known, actor, found, of)
  }

  /** At once where everything is at hand, as it nearly always is: a promise costs as much as a look into a map. */
  function answer(known: Known, of: Asking): boolean | Promise<boolean> {
    const actor = actorOf(known.endpoint, of.asked, of.request)
    return actor instanceof Promise
      ? actor.then((who) => answerAs(known, who, of))
      : answerAs(known, actor, of)
  }

  function find(url: string) {
    for (const known of endpoints) {
      const asked = known.endpoint.match(url)
      if (asked) return { known, asked }
    }
    return undefined
  }

  return {
    add: (endpoint: HotEndpoint): void => {
      const { access, pattern, plain } = endpoint
      if (access.credential !== 'bearer' && access.credential !== 'public' && access.credential !== 'reader')
        throw new Error(`${pattern}: no rate limit covers its credential`)
      const origin = isOpenToAll(endpoint, corsOrigins) ? { origin: 'whatever' as const } : {}
      const isPlain = createPlainRequests(limits, { ...plain, also: { ...origin, ...plain.also } })
      endpoints.push({ endpoint, isPlain, fixedHeaders: fixedHeadersOf(endpoint, dependencies) })
    },

    /** From now on each request is told that the server is stopping, which is Fastify's. */
    stop: (): void => {
      isStopping = true
    },

    /** What a request waited for here in vain: the ordinary way refuses with it. */
    failureOf: (request: IncomingMessage): Error | undefined => failed.get(request),

    /** How many were answered here. */
    answered: (): number => answered,

    /**
     * Called when it is the request's turn on its connection.
     * @param url of the request, without the mount path.
     * @param otherwise answers in the ordinary way; called later, and only where this returns true.
     * @returns false for a request that is none of these: it is untouched.
     */
    take: (arrival: Arrival, url: string, otherwise: () => void): boolean => {
      const { request, response } = arrival
      if (isStopping) return false
      const found = find(url)
      if (found === undefined || !found.known.isPlain(request)) return false
      const { known, asked } = found
      const address = addressOf(request)
      const { pattern } = known.endpoint
      const { forget } = traffic.follow(arrival, address, (): RequestFacts => ({
        id: randomUUID(),
        method: 'GET',
        url: asked.path,
        pattern,
        isUpload: false,
        refusal: null,
      }))
      const isTold = (): boolean => response.headersSent || response.closed
      const goOn = (isAnswered: boolean): void => {
        if (isAnswered || isTold()) return
        forget()
        otherwise()
      }
      const begunAt = performance.now()
      const goOnAfter = (error: unknown): void => {
        const isInVain = performance.now() - begunAt >= inVainAfterMs && isForWantOfStorage(error)
        if (isInVain) failed.set(request, error)
        goOn(false)
      }
      try {
        const isAnswered = answer(known, { request, response, asked, address })
        if (isAnswered instanceof Promise) isAnswered.then(goOn, goOnAfter)
        else if (!isAnswered) forget()
        return isAnswered !== false
      } catch (error) {
        if (isTold()) throw error
        forget()
        return false
      }
    },
  }
}

export type HotPaths = ReturnType<typeof createHotPaths>
