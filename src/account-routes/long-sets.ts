// Long sets of routes under way: each takes its time to write and some memory, so an account reads few at once.
import type { FastifyReply } from 'fastify'
import { refuse } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import { createSemaphores } from '../shared/semaphore.ts'

const maxAtOnce = 4

export function createLongSets() {
  const placesOf = createSemaphores(maxAtOnce)

  return {
    /** To be called before the answer begins. @throws refusal `busy`. */
    enter: (accountId: number, reply: FastifyReply): void => {
      if (reply.raw.closed) return // who left already: it would tell of its end no more
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
