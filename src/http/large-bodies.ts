// Large bodies: how much of them the server holds at once, and that they are worked on one after the other.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refuse } from '../errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    largeBodies: LargeBodies
  }
}

/** Shorter ones, nearly all, pass: they take a few megabytes and some 100 ms, and shall not wait behind long ones. */
const leastBytes = 1024 ** 2
/** A dozen of the longest gpx: a minute's work for whoever comes last. */
const mostBytes = 128 * 1024 ** 2
const retryAfterSeconds = 10

/**
 * To read a gpx of 8 MiB takes six times its length in memory, and half a dozen at once take as long as one after the
 * other: so they wait as bytes, and each has its turn. A body has no turn before it has come whole, so that nobody waits
 * for a slow client.
 */
function createLargeBodies() {
  let heldBytes = 0
  let isBusy = false
  const waiting: (() => void)[] = []
  /** What each request gives back when it is answered. */
  const debts = new WeakMap<FastifyRequest, { bytes: number; hasTurn: boolean }>()

  async function takeTurn(): Promise<void> {
    if (isBusy) await new Promise<void>((resolve) => waiting.push(resolve))
    isBusy = true
  }

  function endTurn(): void {
    const next = waiting.shift()
    if (next) next() // it stays busy: whoever comes between finds it so
    else isBusy = false
  }

  function debtOf(request: FastifyRequest): { bytes: number; hasTurn: boolean } {
    const known = debts.get(request)
    if (known) return known
    const debt = { bytes: 0, hasTurn: false }
    debts.set(request, debt)
    return debt
  }

  return {
    /** So much of a body has come by now. @throws refusal `busy`. */
    count: (request: FastifyRequest, bytes: number): void => {
      if (bytes < leastBytes) return
      const debt = debtOf(request)
      const more = bytes - debt.bytes
      if (heldBytes + more > mostBytes) {
        const detail = 'Too many large bodies are being worked on.'
        throw refuse('busy', { detail, headers: { 'Retry-After': String(retryAfterSeconds) } })
      }
      heldBytes += more
      debt.bytes = bytes
    },

    /** The body has come whole: waits for the turn, which lasts until `leave`. */
    enter: async (request: FastifyRequest, bytes: number): Promise<void> => {
      if (bytes < leastBytes) return
      await takeTurn()
      debtOf(request).hasTurn = true
    },

    leave: (request: FastifyRequest): void => {
      const debt = debts.get(request)
      if (!debt) return
      debts.delete(request)
      heldBytes -= debt.bytes
      if (debt.hasTurn) endTurn()
    },

    /** Works on one of several files of a body, in its turn. */
    inTurn: async <T>(bytes: number, work: () => Promise<T>): Promise<T> => {
      if (bytes < leastBytes) return work()
      await takeTurn()
      try {
        return await work()
      } finally {
        endTurn()
      }
    },
  }
}

export type LargeBodies = ReturnType<typeof createLargeBodies>

/** Whatever comes of a request, its turn ends with it. */
export function registerLargeBodies(app: FastifyInstance): void {
  const largeBodies = createLargeBodies()
  app.decorate('largeBodies', largeBodies)
  app.addHook('onRoute', (route) => {
    if (route.config?.hasLargeBody !== true) return
    const { handler } = route
    route.handler = async function answer(request, reply) {
      try {
        return await handler.call(this, request, reply)
      } finally {
        largeBodies.leave(request)
      }
    }
  })
}
