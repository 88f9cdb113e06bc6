// Long sets of routes under way: each takes its time to write and some memory, so an account reads few at once.
import type { FastifyReply } from 'fastify'
import { refuse } from '../errors.ts'

const maxAtOnce = 4

export function createLongSets() {
  /** How many each account is reading from this node. */
  const underWay = new Map<number, number>()

  return {
    /** To be called before the answer begins. @throws refusal `busy`. */
    enter: (accountId: number, reply: FastifyReply): void => {
      if (reply.raw.closed) return // who left already: it would tell of its end no more
      const others = underWay.get(accountId) ?? 0
      if (others >= maxAtOnce)
        throw refuse('busy', {
          detail: `The complete list of routes of this account is already being sent ${maxAtOnce} times.`,
          headers: { 'Retry-After': '5' },
        })
      underWay.set(accountId, others + 1)
      reply.raw.once('close', () => {
        const left = (underWay.get(accountId) ?? 0) - 1
        if (left > 0) underWay.set(accountId, left)
        else underWay.delete(accountId)
      })
    },
  }
}
