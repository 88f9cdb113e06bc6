// Counts a request, then establishes who is calling: the checks of C31 between the path and the thing named.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isWriting, type AccessStatement } from '../auth/guard.ts'
import type { Credentials, Identify } from '../auth/identify.ts'
import { Refusal } from '../errors.ts'
import { addVary } from './codec.ts'
import { addressBucket, type PolicyName, type RateLimits } from './rate-limits.ts'

/** Keys looked at in one request; who sends more is guessing. */
const mostKeys = 3

/** `api_key` in the query and X-API-Key, either or both. */
function credentialsOf(request: FastifyRequest): Credentials {
  const { api_key: inQuery } = request.query as Record<string, unknown>
  const given = [inQuery, request.headers['x-api-key']].flat().filter((key) => typeof key === 'string')
  return { authorization: request.headers.authorization, apiKeys: given.slice(0, mostKeys) }
}

export interface AdmissionDependencies {
  readonly identify: Identify
  readonly rateLimits: RateLimits
  /** @throws refusal `read-only`. */
  readonly requireWritable: () => Promise<void>
}

/** @returns the hook that sets `request.actor`, or refuses the request. */
export function createAdmission({ identify, rateLimits, requireWritable }: AdmissionDependencies) {
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

  return async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { access, rate = 'address' } = request.routeOptions.config
    if (request.is404 || access === undefined) return
    if (access.credential === 'reader' || access.credential === 'bearer') addVary(reply, 'Authorization')
    await identifyActor(request, reply, access, rate)
    // The change itself looks again (database/read-only.ts); this spares the sending of a body for nothing.
    if (access.credential !== 'open' && isWriting(access.deed)) await requireWritable()
    // What asks for no credential reads its body at once; elsewhere there is more to check, and the reader invites.
    if (access.credential === 'open') request.incoming.invite()
  }
}
