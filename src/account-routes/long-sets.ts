// Limits long sets of routes in progress: each takes time and memory, so an account reads few at once.
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
      if (reply.raw.closed) return // it has already left, so its close event has already fired
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
