// Long routes that their owner reads: each holds all of its gpx until its reader has it, so an account reads few at once.
import type { FastifyReply } from 'fastify'
import { refuse } from '../errors.ts'

const maxAtOnce = 4
/** Of gpx: less of it is one text, which the kernel takes. */
const longBytes = 512 * 1024

interface Readers {
  count: number
  /** What hands a place to each who waits, in their order. */
  readonly waiting: Set<() => void>
}

/** @param maxWaitMs for a place: whoever reads many routes at once reads them one after the other. */
export function createLongReads(maxWaitMs: number) {
  const underWay = new Map<number, Readers>()

  function readersOf(accountId: number): Readers {
    const readers = underWay.get(accountId) ?? { count: 0, waiting: new Set() }
    underWay.set(accountId, readers)
    return readers
  }

  function leave(accountId: number, readers: Readers): void {
    const [begin] = readers.waiting
    if (begin !== undefined) return begin()
    readers.count -= 1
    if (readers.count === 0) underWay.delete(accountId)
  }

  /** Until `begin` is called. @throws refusal `busy` where that takes too long, or the reader leaves. */
  async function wait({ waiting }: Readers, reply: FastifyReply, onBegin: () => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const begin = (): void => {
      waiting.delete(begin)
      onBegin()
      resolve()
    }
    const giveUp = (): void => {
      waiting.delete(begin)
      reject(
        refuse('busy', {
          detail: `${maxAtOnce} long routes of this account are already being sent.`,
          headers: { 'Retry-After': '5' },
        }),
      )
    }
    waiting.add(begin)
    const timer = setTimeout(giveUp, maxWaitMs).unref()
    reply.raw.once('close', giveUp)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      reply.raw.off('close', giveUp)
    }
  }

  return {
    isLong: ({ gpxBytes }: { readonly gpxBytes: number }): boolean => gpxBytes > longBytes,

    /** To be called before a long gpx is read; its place ends with the answer. @throws refusal `busy`. */
    enter: async (accountId: number, reply: FastifyReply): Promise<void> => {
      if (reply.raw.closed) throw refuse('busy') // nobody reads the answer
      const readers = readersOf(accountId)
      let isIn = readers.count < maxAtOnce
      if (isIn) readers.count += 1
      reply.raw.once('close', () => {
        if (isIn) leave(accountId, readers)
      })
      if (!isIn) await wait(readers, reply, () => (isIn = true))
    },
  }
}

export type LongReads = ReturnType<typeof createLongReads>
