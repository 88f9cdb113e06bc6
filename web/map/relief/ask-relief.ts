// The page's side of the relief worker.
import type { ReliefAsked, ReliefFacts, ReliefQuestion, ReliefTold } from './relief-messages.ts'

interface Waiting {
  readonly tell: (told: ReliefTold) => void
  readonly fail: (reason: unknown) => void
}

export interface AskRelief {
  /** @throws if the archive cannot be read, or has no elevations. */
  facts(address: string): Promise<ReliefFacts>
  /** @returns undefined if the archive has no such tile. */
  bytes(
    question: Exclude<ReliefQuestion, { ask: 'facts' }>,
    signal: AbortSignal,
  ): Promise<ArrayBuffer | undefined>
}

/** The worker starts with the first request and stays, since a page's maps may be recreated. */
export function createAskRelief(): AskRelief {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let last = 0

  function start(): Worker {
    const started = new Worker(new URL('relief-worker.ts', import.meta.url), { type: 'module' })
    started.addEventListener('message', ({ data }: MessageEvent<ReliefTold>) => {
      waiting.get(data.id)?.tell(data)
      waiting.delete(data.id)
    })
    started.addEventListener('error', ({ message }) => {
      for (const { fail } of waiting.values()) fail(new Error(message))
      waiting.clear()
      started.terminate()
      worker = undefined
    })
    return started
  }

  function ask(question: ReliefQuestion, signal?: AbortSignal): Promise<ReliefTold> {
    worker ??= start()
    const asked = worker
    last += 1
    const id = last
    const { promise, resolve, reject } = Promise.withResolvers<ReliefTold>()
    const giveUp = (): void => {
      if (!waiting.delete(id)) return
      asked.postMessage({ id, isGivenUp: true } satisfies ReliefAsked)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', giveUp, { once: true })
    waiting.set(id, { tell: resolve, fail: reject })
    asked.postMessage({ id, question } satisfies ReliefAsked)
    return promise
  }

  return {
    facts: async (address) => {
      const told = await ask({ ask: 'facts', address })
      if (!('facts' in told)) throw new Error('failure' in told ? told.failure : 'no facts')
      return told.facts
    },
    bytes: async (question, signal) => {
      const told = await ask(question, signal)
      if (!('bytes' in told)) throw new Error('failure' in told ? told.failure : 'no tile')
      return told.bytes
    },
  }
}
