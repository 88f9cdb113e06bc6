// Limits concurrent reads of long routes per owner: each holds its GPX in memory until it is sent.
import type { FastifyReply } from 'fastify'
import { refuse } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import { createSemaphores } from '../shared/semaphore.ts'

const maxAtOnce = 4
/** Bytes of gpx; a shorter one is sent as one text, which fits into the kernel's buffer. */
const longBytes = 512 * 1024

/** @param maxWaitMs for a slot: many routes requested at once are read one after another. */
export function createLongReads(maxWaitMs: number) {
  const placesOf = createSemaphores(maxAtOnce)

  return {
    isLong: ({ gpxBytes }: { readonly gpxBytes: number }): boolean => gpxBytes > longBytes,

    /** Call it before reading a long GPX; the slot is released with the response. @throws refusal `busy`. */
    enter: async (accountId: number, { raw }: FastifyReply): Promise<void> => {
      if (raw.closed) throw refuse('busy') // the client has disconnected
      const waiting = new AbortController()
      const giveUp = (): void =>
        waiting.abort(
          refuse('busy', {
            detail: inEach(({ limits }) => limits.longRoutes(maxAtOnce)),
            headers: { 'Retry-After': '5' },
          }),
        )
      const timer = setTimeout(giveUp, maxWaitMs).unref()
      raw.once('close', giveUp)
      try {
        const leave = await placesOf(accountId).acquire({ signal: waiting.signal })
        if (raw.closed) leave()
        else raw.once('close', leave)
      } finally {
        clearTimeout(timer)
        raw.off('close', giveUp)
      }
    },
  }
}

export type LongReads = ReturnType<typeof createLongReads>
