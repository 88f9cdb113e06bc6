// Answers requests from memory, ahead of Fastify. Every other request goes on to Fastify, and its answer is cached if
// its endpoint says what it depends on (`request.cacheAnswer`).
//
// No endpoint has code here, and nothing is decided here: addresses, identities and answers are those that Fastify
// found, for as long as no commit has changed what they depend on (commits.ts).
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { anonymous, isForVisitors, type AccessStatement, type Actor } from '../../auth/guard.ts'
import type { Credentials } from '../../auth/identify.ts'
import type { Changes } from '../../commits.ts'
import { createBoundedCache, entryBytes } from '../../shared/bounded-cache.ts'
import { isFromOurPage, type RequestIdentities } from '../admission.ts'
import type { RequestFacts, Traffic } from '../connections/traffic.ts'
import type { ServerLimits } from '../limits.ts'
import { addressBucket, costOfBytes, type PolicyName, type RateLimits } from '../rates/rate-limits.ts'
import { createAnswerStore, variantsIn, type StoredAnswer } from './answer-store.ts'
import { createIdentities } from './identities.ts'
import { preflight, varyOf, type CachePolicy } from './cache-policy.ts'
import { bodyFor, bodyOf, headersOf, keysIn, maxOwnBytes, withoutKeys } from './sent-answer.ts'
import { createHeadReader, headerOf, type ReadHeader, type RequestHead } from './request-head.ts'

/** Requests without an access statement: unknown paths, and preflights. */
const open: AccessStatement = { credential: 'open' }

/** A URL that was requested before, in one spelling. */
interface Target {
  /** Method and path with query, without API keys: equal for all spellings of the same URL. */
  readonly name: string
  readonly method: string
  /** As the router sees it. */
  readonly url: string
  readonly pattern: string | undefined
  readonly access: AccessStatement
  readonly rate: PolicyName | 'none'
  readonly apiKeys: readonly string[]
  readonly vary: readonly ReadHeader[]
  readonly isForEveryone: boolean
}

export interface FrontDependencies {
  readonly changes: Changes
  readonly maxBytes: number
  readonly rateLimits: RateLimits
  readonly traffic: Traffic
  readonly limits: ServerLimits
  readonly publicUrl: string
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number
  readonly nextRequestId: () => string
  /** The address that limits count and the log shows. */
  readonly addressOf: (request: IncomingMessage) => string
  /** The token of a session in a Cookie header. */
  readonly sessionTokenIn: (cookies: string | undefined) => string | undefined
}

interface Arrival {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

const maxTargetBytes = 8 * 1024 ** 2

export function createFront(dependencies: FrontDependencies) {
  const { changes, maxBytes, rateLimits, traffic, limits, publicUrl, now, addressOf } = dependencies
  const { nextRequestId, sessionTokenIn } = dependencies
  const publicOrigin = new URL(publicUrl).origin
  const targets = createBoundedCache<Target>({
    max: maxTargetBytes,
    sizeOf: ({ url, name }) => entryBytes + 2 * url.length + name.length,
  })
  const answers = createAnswerStore({ changes, maxBytes })
  const identities = createIdentities({ changes, now })
  const readHead = createHeadReader(limits)
  const cachePolicies = new WeakMap<FastifyRequest['raw'], CachePolicy>()
  let isStopping = false
  let answered = 0

  function credentialsOf({ access, apiKeys }: Target, head: RequestHead): Credentials {
    const isOurs = isFromOurPage(
      {
        site: headerOf(head, 'sec-fetch-site'),
        origin: headerOf(head, 'origin'),
        mark: headerOf(head, 'x-waymark-page'),
      },
      publicOrigin,
    )
    const inHeader = headerOf(head, 'x-api-key')
    return {
      authorization: headerOf(head, 'authorization'),
      apiKeys: inHeader === undefined ? apiKeys : [...apiKeys, inHeader],
      session: isOurs && access.credential !== 'open' ? sessionTokenIn(headerOf(head, 'cookie')) : undefined,
      isFromOurPage: isOurs,
    }
  }

  /** The limit that a success counts in, as admission.ts has it. */
  function policyOf(
    { access, rate }: Target,
    actor: Actor | undefined,
    address: string,
  ): readonly [PolicyName, string] | undefined {
    if (rate === 'none') return undefined
    if (actor === undefined) return [rate, addressBucket(address)]
    if (actor.kind === 'key') return ['key', actor.keyHash]
    if (actor.kind === 'account') return ['account', String(actor.accountId)]
    return [rate === 'address' && isForVisitors(access) ? 'visitors' : rate, addressBucket(address)]
  }

  interface Found {
    /** Undefined if the credential is invalid. */
    readonly actor: Actor | undefined
    readonly answer: StoredAnswer
  }

  function find(target: Target, head: RequestHead): Found | undefined {
    const { name, vary, access } = target
    if (target.isForEveryone) {
      const answer = answers.find({ target: name, vary, viewer: '', head })
      // A proxy that sends files itself wants the path of a large one.
      const isForProxy = answer?.lend !== undefined && headerOf(head, 'x-sendfile-type') !== undefined
      if (isForProxy) return undefined
      if (answer) return { actor: anonymous, answer }
    }
    if (access.credential === 'page') return undefined
    const identity = identities.find(access, credentialsOf(target, head))
    const answer = identity && answers.find({ target: name, vary, viewer: identity.viewer, head })
    return answer && { actor: identity.actor, answer }
  }

  function send(arrival: Arrival, target: Target, { actor, answer }: Found): (() => void) | undefined {
    const { request, response } = arrival
    const id = nextRequestId()
    const body = answer.body(id)
    if (body === undefined) return undefined
    const release = answer.lend?.()
    if (answer.lend !== undefined && release === undefined) return undefined
    const address = addressOf(request)
    const policy = policyOf(target, actor, address)
    const rate =
      policy === undefined ? [] : rateLimits.spendIfLeft(policy[0], policy[1], costOfBytes(body.length))
    if (rate === undefined) {
      release?.()
      return undefined
    }
    const { end } = traffic.follow(arrival, address, (): RequestFacts => ({
      id,
      method: target.method,
      url: target.url,
      pattern: target.pattern,
      isUpload: false,
      refusal: answer.refusal,
      access: target.access,
      accountId: actor?.kind === 'account' ? actor.accountId : null,
    }))
    response.writeHead(
      answer.status,
      answer.tellsRate ? answer.headers.concat(rate) : (answer.headers as string[]),
    )
    response.end(body, 'latin1')
    answered += 1
    if (release === undefined) return end
    return () => {
      release()
      end()
    }
  }

  function learn(request: FastifyRequest, reply: FastifyReply, payload: unknown, policy: CachePolicy): void {
    const head = readHead(request.raw.rawHeaders)
    const vary = variantsIn(varyOf(request, reply, policy))
    const headers = headersOf(reply)
    const { method, routeOptions } = request
    const { access = open, rate = access === open ? 'none' : 'address' } = routeOptions.config
    // A 200 to a request with If-None-Match is not cached: the key contains the condition, and each client has another.
    const isOdd = reply.statusCode !== 304 && headerOf(head ?? [], 'if-none-match') !== undefined
    if (head === undefined || vary === undefined || headers === undefined || isOdd) return
    const sent = bodyOf(payload)
    const length = sent?.bytes ?? reply.getHeader('content-length')
    if (sent === undefined && method !== 'HEAD') return
    // A 204 has one only if it was set, as for preflights.
    const isLengthTold =
      reply.statusCode === 204 ? reply.hasHeader('content-length') : reply.statusCode !== 304
    if (isLengthTold && length !== undefined) headers.push('content-length', String(length))
    const isBodiless = reply.statusCode === 304 || method === 'HEAD'
    const isOwn = isBodiless || policy.body === undefined
    const body = isBodiless ? '' : (sent?.body ?? '')
    if (isOwn && body.length > maxOwnBytes) return
    const isForEveryone = policy.isForEveryone === true || access.credential === 'open'
    const name = `${method} ${withoutKeys(request.url)}`
    targets.set(`${method} ${request.originalUrl}`, {
      name,
      method,
      url: request.url,
      pattern: routeOptions.url,
      access,
      rate,
      apiKeys: keysIn(request).slice(0, 3),
      vary,
      isForEveryone,
    })
    answers.keep(
      { target: name, vary, viewer: isForEveryone ? '' : request.viewer, head },
      {
        status: reply.statusCode,
        headers: Object.freeze(headers),
        body: isOwn ? bodyFor(body, request.id) : (policy.body ?? (() => undefined)),
        refusal: request.refusal,
        tellsRate: reply.hasHeader('ratelimit'),
        lend: isOwn ? undefined : policy.lend,
        dependsOn: policy.dependsOn,
        since: request.commitsBefore,
        isStill: policy.isStill,
        bodyBytes: isOwn ? body.length : 0,
      },
    )
  }

  return {
    /**
     * Answers if it can. Called when it is the request's turn on its connection.
     * @returns what to call once the response has closed; undefined for a request that is not answered here and was
     * left untouched.
     */
    take: (arrival: Arrival): (() => void) | undefined => {
      const { method = '', url = '', httpVersion, rawHeaders } = arrival.request
      if (isStopping || httpVersion !== '1.1') return undefined
      const target = targets.get(`${method} ${url}`)
      const head = target && readHead(rawHeaders)
      if (head === undefined) return undefined
      changes.look()
      const found = find(target as Target, head)
      return found && send(arrival, target as Target, found)
    },

    /** Registers what notes the time of each request, ahead of the hooks that read anything. */
    watch: (app: FastifyInstance): void => {
      app.decorateRequest('commitsBefore', 0)
      app.decorateRequest('viewer', '')
      app.decorateRequest('cacheAnswer', function cacheAnswer(policy) {
        if (policy === undefined) cachePolicies.delete(this.raw)
        else cachePolicies.set(this.raw, policy)
      })
      app.addHook('onRequest', (request, _reply, done) => {
        changes.look()
        request.commitsBefore = changes.count()
        done()
      })
    },

    /** Registers the hooks that cache answers, after those that change them. */
    learnFrom: (app: FastifyInstance): void => {
      app.addHook('onSend', (request, reply, payload, done) => {
        const policy = request.method === 'OPTIONS' ? preflight : cachePolicies.get(request.raw)
        if (policy !== undefined) learn(request, reply, payload, policy)
        done(null, payload)
      })
    },

    /** What the answer depends on: a page that is made of answers is valid as long as they are. */
    cachePolicyOf: (request: IncomingMessage): CachePolicy | undefined => cachePolicies.get(request),

    /** Lets admission.ts use the known identities, and add those that it looks up. */
    identities: {
      find: (request, access, credentials) => {
        const known = identities.find(access, credentials)
        if (known?.opens !== true) return undefined
        request.viewer = known.viewer
        return known.actor
      },
      learn: (request, access, credentials, identified) => {
        request.viewer = identities.learn(access, credentials, identified, request.commitsBefore).viewer
      },
      learnRefused: (request, access, credentials, refusal) => {
        request.viewer = identities.learnRefused(access, credentials, refusal, request.commitsBefore).viewer
      },
    } satisfies RequestIdentities,

    /** From now on Fastify answers every request, since it announces that the server is stopping. */
    stop: (): void => {
      isStopping = true
    },

    /** How many requests were answered here. */
    answered: (): number => answered,
    /** What the answers take of memory, about. */
    bytes: answers.bytes,
  }
}

export type Front = ReturnType<typeof createFront>
