// The page's side of the relief worker.
import type { ReliefAnswer, ReliefAsked, ReliefFacts, ReliefQuestion } from './relief-messages.ts'

interface Waiting {
  readonly tell: (answer: ReliefAnswer) => void
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
    started.addEventListener('message', ({ data }: MessageEvent<ReliefAnswer>) => {
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

  function ask(question: ReliefQuestion, signal?: AbortSignal): Promise<ReliefAnswer> {
    worker ??= start()
    const asked = worker
    last += 1
    const id = last
    const { promise, resolve, reject } = Promise.withResolvers<ReliefAnswer>()
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
      const answer = await ask({ ask: 'facts', address })
      if (!('facts' in answer)) throw new Error('failure' in answer ? answer.failure : 'no facts')
      return answer.facts
    },
    bytes: async (question, signal) => {
      const answer = await ask(question, signal)
      if (!('bytes' in answer)) throw new Error('failure' in answer ? answer.failure : 'no tile')
      return answer.bytes
    },
  }
}
