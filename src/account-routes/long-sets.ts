// Limits concurrent reads of long sets of routes per account, since each takes time and memory.
import type { FastifyReply } from 'fastify'
import { refuse } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import { createSemaphores } from '../shared/semaphore.ts'

const maxAtOnce = 4

export function createLongSets() {
  const placesOf = createSemaphores(maxAtOnce)

  return {
    /** Call it before the response begins. @throws refusal `busy`. */
    enter: (accountId: number, reply: FastifyReply): void => {
      if (reply.raw.closed) return // the client has already disconnected, and its close event has fired
      const leave = placesOf(accountId).tryAcquire()
      if (!leave)
        throw refuse('busy', {
          detail: inEach(({ limits }) => limits.routeLists(maxAtOnce)),
          headers: { 'Retry-After': '5' },
        })
      reply.raw.once('close', leave)
    },
  }
}
