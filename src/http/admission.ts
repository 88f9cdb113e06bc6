// Counts a request, then establishes who is calling: the checks of C31 between the path and the thing named.
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { isWriting } from '../auth/actions.ts'
import { isForVisitors, type AccessStatement, type Actor } from '../auth/guard.ts'
import type { Credentials, Identified, Identify } from '../auth/identify.ts'
import { Refusal, refusals, refuse } from '../errors.ts'
import { addVary } from './codec.ts'
import { addressBucket, type PolicyName, type RateLimits } from './rates/rate-limits.ts'

/** Where the answer depends on who asks. Images are the same to nearly everybody, and say it by themselves. */
const dependsOnToken: ReadonlySet<AccessStatement['credential']> = new Set(['reader', 'bearer', 'visitor'])

/** Keys looked at in one request; who sends more is guessing. */
const maxKeys = 3

/** Only looked at, or a form or call that changes something? */
const isSafe = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD'

/** Sec-Fetch-Site, Origin and X-Waymark-Page. */
interface PageHeaders {
  readonly site: string | undefined
  readonly origin: string | undefined
  readonly mark: string | undefined
}

/**
 * Does the browser say that a page of ours made the request? What stops a page elsewhere from using the session of
 * whoever visits it (CSRF), besides SameSite. Browsers send Sec-Fetch-Site where the page came over TLS or from loopback;
 * elsewhere they send Origin with whatever may change something, and our pages' scripts say X-Waymark-Page: a page
 * elsewhere cannot send that without a preflight, which is never allowed it (safety.ts).
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
    /** What its credential was refused with, before anything else was looked at. */
    refusedCredential: Refusal | null
  }
}

type CountedHere = Exclude<PolicyName, 'sign-in'>

/** Who asked before, with the same credentials (answers/front.ts). */
export interface RequestIdentities {
  /** @returns undefined where it has to be looked up. */
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

/** Of refusals for the credential itself. Others, such as an issuer that cannot be reached, say nothing about it. */
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

  /** The session that comes with the request, where it counts: a page may be opened from anywhere, and changes nothing. */
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
   * What a request without a credential is counted in: by what it asks for, never by what it says of itself, since
   * whatever a page of ours sends a program can send too (decision 0090).
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

  /** @returns whether the request was counted. What is limited by address whoever asks, and calls without a credential. */
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
      // A wrong credential is counted before it is refused: guessing ends in 429, whatever is guessed.
      if (!isCounted) spend(request, reply, 'address', addressBucket(request.ip))
      throw error
    }
  }

  /** At once where it is known who asks; a promise costs as much as all the rest. */
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
    // What asks for no credential reads its body at once; elsewhere there is more to check, and the reader invites.
    if ('action' in access) return admitted
    if (admitted === undefined) request.incoming.invite()
    return admitted?.then(() => request.incoming.invite())
  }

  return function admit(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
    const waiting = begin(request, reply) // what it throws is refused by Fastify
    if (waiting === undefined) done()
    else void tell(waiting, done)
  }
}
