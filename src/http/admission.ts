// Counts a request, then establishes who is calling: the checks of C31 between the path and the thing named.
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isWriting } from '../auth/actions.ts'
import { isForVisitors, type AccessStatement } from '../auth/guard.ts'
import type { Credentials, Identify } from '../auth/identify.ts'
import { Refusal, refuse } from '../errors.ts'
import { addVary } from './codec.ts'
import { addressBucket, type PolicyName, type RateLimits } from './rates/rate-limits.ts'

/** Where the answer depends on who asks. Images are the same to nearly everybody, and say it by themselves. */
const dependsOnToken: ReadonlySet<AccessStatement['credential']> = new Set(['reader', 'bearer', 'visitor'])

/** Keys looked at in one request; who sends more is guessing. */
const maxKeys = 3

/** Only looked at, or a form or call that changes something? */
const isSafe = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD'

/**
 * Does the browser say that a page of ours made the request? What stops a page elsewhere from using the session of
 * whoever visits it (CSRF), besides SameSite. Browsers send Sec-Fetch-Site where the page came over TLS or from loopback;
 * elsewhere they send Origin with whatever may change something, and our pages' scripts say X-Waymark-Page: a page
 * elsewhere cannot send that without a preflight, which is never allowed it (safety.ts).
 */
function isFromOurPage(request: FastifyRequest, publicOrigin: string): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return request.headers.origin === publicOrigin || request.headers['x-waymark-page'] === '1'
}

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Counts what the answer costs beyond the 1 that every request is counted with, in the same limit: to be called before
     * the work. One unit pays for about 5 ms of CPU.
     * @throws refusal `too-many-requests`.
     */
    charge: (cost: number) => void
  }
}

export interface AdmissionDependencies {
  readonly identify: Identify
  readonly rateLimits: RateLimits
  readonly publicUrl: string
  /** The token of a session in a Cookie header. */
  readonly sessionTokenIn: (cookies: string | undefined) => string | undefined
  /** @throws refusal `read-only`. */
  readonly requireWritable: () => Promise<void>
  /** What a request waited for in vain already, ahead of these checks (hot-paths.ts): it is refused with that. */
  readonly failureOf: (request: IncomingMessage) => Error | undefined
}

/** @returns the hook that sets `request.actor`, or refuses the request. */
export function createAdmission(dependencies: AdmissionDependencies) {
  const { identify, rateLimits, requireWritable, sessionTokenIn, failureOf } = dependencies
  const publicOrigin = new URL(dependencies.publicUrl).origin

  /** The session that comes with the request, where it counts: a page may be opened from anywhere, and changes nothing. */
  function sessionOf(request: FastifyRequest, access: AccessStatement): string | undefined {
    const counts = isFromOurPage(request, publicOrigin) || (access.credential === 'page' && isSafe(request))
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
      isFromOurPage: isFromOurPage(request, publicOrigin),
    }
  }

  /**
   * What a request without a credential is counted in: by what it asks for, never by what it says of itself, since
   * whatever a page of ours sends a program can send too (decision 0090).
   */
  function policyOf(request: FastifyRequest, access: AccessStatement, rate: PolicyName): PolicyName {
    return rate === 'address' && isForVisitors(access) && isSafe(request) ? 'visitors' : rate
  }

  async function spend(
    request: FastifyRequest,
    reply: FastifyReply,
    policy: PolicyName,
    bucket: string,
  ): Promise<void> {
    void reply.headers(await rateLimits.spend(policy, bucket))
    request.charge = (cost) => {
      if (cost > 0) void reply.headers(rateLimits.spendMore(policy, bucket, cost))
    }
  }

  /** @returns whether the request was counted. What is limited by address whoever asks, and calls without a credential. */
  async function spendByAddress(
    request: FastifyRequest,
    reply: FastifyReply,
    access: AccessStatement,
    rate: PolicyName | 'none',
  ): Promise<boolean> {
    if (rate === 'none') return false
    const { authorization, apiKeys, session } = credentialsOf(request, access)
    const isAnonymous = access.credential === 'open' || (authorization ?? apiKeys[0] ?? session) === undefined
    if (rate === 'address' && !isAnonymous) return false
    await spend(request, reply, policyOf(request, access, rate), addressBucket(request.ip))
    return true
  }

  async function identifyActor(
    request: FastifyRequest,
    reply: FastifyReply,
    access: AccessStatement,
    rate: PolicyName | 'none',
  ): Promise<void> {
    const isCounted = await spendByAddress(request, reply, access, rate)
    const failure = failureOf(request.raw)
    if (failure) throw failure
    try {
      request.actor = await identify(access, credentialsOf(request, access))
    } catch (error) {
      // A wrong credential is counted before it is refused: guessing ends in 429, whatever is guessed.
      if (error instanceof Refusal && !isCounted)
        await spend(request, reply, 'address', addressBucket(request.ip))
      throw error
    }
    const { actor } = request
    if (actor.kind === 'anonymous' && rate === 'address' && !isCounted)
      await spend(request, reply, policyOf(request, access, rate), addressBucket(request.ip)) // with a session that has ended
    if (actor.kind === 'key') await spend(request, reply, 'key', actor.keyHash)
    if (actor.kind === 'account' && rate === 'address')
      await spend(request, reply, 'account', String(actor.accountId))
    if (actor.kind === 'account' && request.routeOptions.config.isUpload === true) {
      await spend(request, reply, 'uploads', String(actor.accountId))
    }
  }

  return async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { access, rate = 'address' } = request.routeOptions.config
    if (request.is404 || access === undefined) return
    if (dependsOnToken.has(access.credential)) addVary(reply, 'Authorization')
    if (access.credential === 'page' && !isSafe(request) && !isFromOurPage(request, publicOrigin)) {
      throw refuse('foreign-form')
    }
    await identifyActor(request, reply, access, rate)
    // The change itself looks again (database/read-only.ts); this spares the sending of a body for nothing.
    if ('action' in access && isWriting(access.action)) await requireWritable()
    // What asks for no credential reads its body at once; elsewhere there is more to check, and the reader invites.
    if (!('action' in access)) request.incoming.invite()
  }
}
