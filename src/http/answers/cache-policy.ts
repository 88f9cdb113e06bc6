// What may be cached of an answer, as stated by its endpoint, and here for refusals and preflights.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Tag } from '../../commits.ts'
import type { AnswerBody, StoredAnswer } from './answer-store.ts'

/** What an endpoint states about an answer that may be cached. */
export interface CachePolicy {
  /** A commit that touches any of them ends it. */
  readonly dependsOn: readonly Tag[]
  /** Whether every client gets this response, with any credential or none. */
  readonly isForEveryone?: boolean
  /** If the body is in another cache: the function that finds it there. */
  readonly body?: () => AnswerBody | undefined
  /** Whether it is another in each language. */
  readonly isByLanguage?: boolean
  /** For answers that depend on more than the database: whether that is unchanged. */
  readonly isStill?: () => boolean
  readonly lend?: StoredAnswer['lend']
}

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Allows caching the response to this request. Call it before the response is sent; the last call counts, and
     * undefined forbids it.
     */
    cacheAnswer: (policy: CachePolicy | undefined) => void
    /** The count of commits before anything was read for this request. */
    commitsBefore: number
    /** Who is shown the answer, as far as it depends on that. */
    viewer: string
  }
}

/** What pages of other origins may do, by the registered applications, of which every change touches everything. */
export const preflight: CachePolicy = { dependsOn: [], isForEveryone: true }
const preflightVary = 'origin,access-control-request-method,access-control-request-headers'

/** By what the answer is another, as it says itself and as it goes without saying of what no cache elsewhere may store. */
export function varyOf(
  { method, refusal }: FastifyRequest,
  reply: FastifyReply,
  { isByLanguage }: CachePolicy,
): string {
  if (method === 'OPTIONS') return preflightVary
  const names = [String(reply.getHeader('vary') ?? '')]
  if (isByLanguage === true) names.push('accept-language', 'cookie')
  if (refusal !== null) names.push('sec-fetch-dest') // a browser that opens the URL gets a page
  return names.join(',')
}
