// Counts a request, then establishes who is calling: the checks of C31 between the path and the thing named.
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { isWriting } from '../auth/actions.ts'
import { isForVisitors, type AccessStatement, type Actor } from '../auth/guard.ts'
import type { Credentials, Identified, Identify } from '../auth/identify.ts'
import { Refusal, refusals, refuse } from '../errors.ts'
import { addVary } from './codec.ts'
import { addressBucket, type PolicyName, type RateLimits } from './rates/rate-limits.ts'

/** Set if the response depends on the caller. Images are the same for nearly everyone, and set it themselves. */
const dependsOnToken: ReadonlySet<AccessStatement['credential']> = new Set(['reader', 'bearer', 'visitor'])

/** Keys checked per request; a client that sends more is guessing. */
const maxKeys = 3

/** Methods that only read; all others are forms or calls that change something. */
const isSafe = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD'

/** Sec-Fetch-Site, Origin and X-Waymark-Page. */
interface PageHeaders {
  readonly site: string | undefined
  readonly origin: string | undefined
  readonly mark: string | undefined
}

/**
 * Does the browser say that a page of this site made the request? This, besides SameSite, stops pages elsewhere from
 * using a visitor's session (CSRF). Browsers send Sec-Fetch-Site if the page came over TLS or from loopback; otherwise
 * they send Origin with requests that may change something, and our scripts send X-Waymark-Page: a page elsewhere
 * cannot send that without a preflight, which is never granted (safety.ts).
 */
export function isFromOurPage({ site, origin, mark }: PageHeaders, publicOrigin: string): boolean {
  return site === undefined ? origin === publicOrigin || mark === '1' : site === 'same-origin'
}

const pageHeadersOf = ({ headers }: FastifyRequest): PageHeaders => ({
  site: headers['sec-fetch-site']?.toString(),
  origin: headers.origin,
  mark: headers['x-waymark-page']?.toString(),
})

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Counts what the answer costs beyond the 1 that every request is counted with, in the same limit: to be called before
     * the work. One unit pays for about 5 ms of CPU.
     * @throws refusal `too-many-requests`.
     */
    charge: (cost: number) => void
    /** The refusal of its credential, before anything else was checked. */
    refusedCredential: Refusal | null
  }
}

type CountedHere = Exclude<PolicyName, 'sign-in'>

/** The identity found for the same credentials before (answers/front.ts). */
export interface RequestIdentities {
  /** @returns undefined if it must be looked up. */
  find(request: FastifyRequest, access: AccessStatement, credentials: Credentials): Actor | undefined
  learn(
    request: FastifyRequest,
    access: AccessStatement,
    credentials: Credentials,
    identified: Identified,
  ): void
  learnRefused(
    request: FastifyRequest,
    access: AccessStatement,
    credentials: Credentials,
    refusal: Refusal,
  ): void
}

export interface AdmissionDependencies {
  readonly identify: Identify
  readonly rateLimits: RateLimits
  readonly publicUrl: string
  /** The token of a session in a Cookie header. */
  readonly sessionTokenIn: (cookies: string | undefined) => string | undefined
  /** @throws refusal `read-only`. */
  readonly requireWritable: () => Promise<void>
  readonly identities: RequestIdentities
}

/** For refusals of the credential itself. Others, such as an unavailable issuer, say nothing about it. */
const areOfCredentials: ReadonlySet<number> = new Set([401, 403])

async function tell(waiting: Promise<void>, done: HookHandlerDoneFunction): Promise<void> {
  try {
    await waiting
  } catch (error) {
    return done(error as Error)
  }
  done()
}

/** @returns the hook that sets `request.actor`, or refuses the request. */
export function createAdmission(dependencies: AdmissionDependencies) {
  const { identify, rateLimits, requireWritable, sessionTokenIn, identities } = dependencies
  const publicOrigin = new URL(dependencies.publicUrl).origin

  /** The session of the request, if it counts: a page may be opened from anywhere, and changes nothing. */
  function sessionOf(request: FastifyRequest, access: AccessStatement): string | undefined {
    const counts =
      isFromOurPage(pageHeadersOf(request), publicOrigin) || (access.credential === 'page' && isSafe(request))
    return counts ? sessionTokenIn(request.headers.cookie) : undefined
  }

  /** `api_key` in the query and X-API-Key, either or both; a bearer token; a session. */
  function credentialsOf(request: FastifyRequest, access: AccessStatement): Credentials {
    const { api_key: inQuery } = request.query as Record<string, unknown>
    const given = [inQuery, request.headers['x-api-key']].flat().filter((key) => typeof key === 'string')
    return {
      authorization: request.headers.authorization,
      apiKeys: given.slice(0, maxKeys),
      session: access.credential === 'open' ? undefined : sessionOf(request, access),
      isFromOurPage: isFromOurPage(pageHeadersOf(request), publicOrigin),
    }
  }

  /**
   * The limit for a request without a credential: by what it requests, never by what it claims, since a program can
   * send anything that our pages send (decision 0090).
   */
  function policyOf(request: FastifyRequest, access: AccessStatement, rate: CountedHere): CountedHere {
    return rate === 'address' && isForVisitors(access) && isSafe(request) ? 'visitors' : rate
  }

  function spend(request: FastifyRequest, reply: FastifyReply, policy: CountedHere, bucket: string): void {
    void reply.headers(rateLimits.spendHere(policy, bucket))
    request.charge = (cost) => {
      if (cost > 0) void reply.headers(rateLimits.spendMore(policy, bucket, cost))
    }
  }

  interface Asking {
    readonly request: FastifyRequest
    readonly reply: FastifyReply
    readonly access: AccessStatement
    readonly rate: CountedHere | 'none'
    readonly credentials: Credentials
  }

  /**
   * @returns whether the request was counted: requests that are limited by address for every caller, and those without
   * a credential.
   */
  function spendByAddress({ request, reply, access, rate, credentials }: Asking): boolean {
    if (rate === 'none') return false
    const { authorization, apiKeys, session } = credentials
    const isAnonymous = access.credential === 'open' || (authorization ?? apiKeys[0] ?? session) === undefined
    if (rate === 'address' && !isAnonymous) return false
    spend(request, reply, policyOf(request, access, rate), addressBucket(request.ip))
    return true
  }

  function take({ request, reply, access, rate }: Asking, actor: Actor, isCounted: boolean): void {
    request.actor = actor
    if (actor.kind === 'anonymous' && rate === 'address' && !isCounted)
      spend(request, reply, policyOf(request, access, rate), addressBucket(request.ip)) // with a session that has ended
    if (actor.kind === 'key') spend(request, reply, 'key', actor.keyHash)
    if (actor.kind === 'account' && rate === 'address')
      spend(request, reply, 'account', String(actor.accountId))
    if (actor.kind === 'account' && request.routeOptions.config.isUpload === true)
      spend(request, reply, 'uploads', String(actor.accountId))
  }

  async function lookUp(asking: Asking, isCounted: boolean): Promise<void> {
    const { request, reply, access, credentials } = asking
    try {
      const identified = await identify(access, credentials)
      identities.learn(request, access, credentials, identified)
      take(asking, identified.actor, isCounted)
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'too-many-requests') throw error
      if (areOfCredentials.has(refusals[error.code].status)) {
        identities.learnRefused(request, access, credentials, error)
        request.refusedCredential = error
      }
      // An invalid credential is counted before it is refused, so that guessing ends in 429.
      if (!isCounted) spend(request, reply, 'address', addressBucket(request.ip))
      throw error
    }
  }

  /** Synchronous if the caller is known; a promise would cost as much as all the rest. */
  function identifyActor(asking: Asking): Promise<void> | undefined {
    const isCounted = spendByAddress(asking)
    const known = identities.find(asking.request, asking.access, asking.credentials)
    if (known === undefined) return lookUp(asking, isCounted)
    take(asking, known, isCounted)
    return undefined
  }

  function begin(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    const { access, rate = 'address' } = request.routeOptions.config
    if (request.is404 || access === undefined) return undefined
    if (dependsOnToken.has(access.credential)) addVary(reply, 'Authorization')
    const credentials = credentialsOf(request, access)
    if (access.credential === 'page' && !isSafe(request) && !credentials.isFromOurPage)
      throw refuse('foreign-form')
    const waiting = identifyActor({ request, reply, access, rate, credentials })
    // The change itself looks again (database/read-only.ts); this spares the sending of a body for nothing.
    const isChange = 'action' in access && isWriting(access.action)
    const admitted = isChange ? (waiting ?? Promise.resolve()).then(requireWritable) : waiting
    // Endpoints without credentials read the body at once; on others there is more to check, and the reader sends 100
    // Continue.
    if ('action' in access) return admitted
    if (admitted === undefined) request.incoming.invite()
    return admitted?.then(() => request.incoming.invite())
  }

  return function admit(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
    const waiting = begin(request, reply) // Fastify refuses what it throws
    if (waiting === undefined) done()
    else void tell(waiting, done)
  }
}
