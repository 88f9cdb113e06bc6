// What is said of an answer that may be kept: by its endpoint, and of refusals and preflights here.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Tag } from '../../commits.ts'
import type { AnswerBody, StoredAnswer } from './answer-store.ts'

/** What an endpoint says of an answer that may be kept. */
export interface KeptAnswer {
  /** A commit that touches any of them ends it. */
  readonly dependsOn: readonly Tag[]
  /** Whether every client gets this response, with any credential or none. */
  readonly isForEveryone?: boolean
  /** Where the body is in another cache: what finds it there. */
  readonly body?: () => AnswerBody | undefined
  /** Whether it is another in each language. */
  readonly isByLanguage?: boolean
  /** Where it depends on more than the database: whether that is still the same. */
  readonly isStill?: () => boolean
  readonly lend?: StoredAnswer['lend']
}

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Allows caching the response to this request. Call it before the response is sent; the last call counts, and
     * undefined forbids it.
     */
    keepAnswer: (kept: KeptAnswer | undefined) => void
    /** The count of commits before anything was read for this request. */
    commitsBefore: number
    /** Who is shown the answer, as far as it depends on that. */
    viewer: string
  }
}

/** What pages of other origins may do, by the registered applications, of which every change touches everything. */
export const preflight: KeptAnswer = { dependsOn: [], isForEveryone: true }
const preflightVary = 'origin,access-control-request-method,access-control-request-headers'

/** By what the answer is another, as it says itself and as it goes without saying of what no cache elsewhere may store. */
export function varyOf(
  { method, refusal }: FastifyRequest,
  reply: FastifyReply,
  { isByLanguage }: KeptAnswer,
): string {
  if (method === 'OPTIONS') return preflightVary
  const names = [String(reply.getHeader('vary') ?? '')]
  if (isByLanguage === true) names.push('accept-language', 'cookie')
  if (refusal !== null) names.push('sec-fetch-dest') // whoever opens an address in a browser sees a page
  return names.join(',')
}
