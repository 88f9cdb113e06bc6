// How long a batch of the sequencer waits for writers that are about to come.
//
// A larger batch costs little more than a small one, and who comes a moment too late waits for two.
import { setTimeout as pause } from 'node:timers/promises'

/** The shares of the duration of the last batch that it waits for writers that may come, and then for those at work. */
const share = 0.25
const maxMs = 15
const minMs = 0.2

/** @param waiting how many writers wait for the batch. */
export function createGathering(waiting: () => number) {
  /** Number of parallel transactions of this node that have begun. */
  let atWork = 0
  /** Those of them that no batch has waited for yet: one that is stuck delays one batch, not each. */
  const unawaited = new Set<symbol>()
  let lastMs = 0
  /** Writers of this node in the last batch, and in the one before it. */
  let [lastWriters, writersBefore] = [0, 0]
  let hear: (() => void) | undefined

  /** Waits until it is so, but no longer than this. */
  async function untilMet(isMet: () => boolean, ms: number): Promise<void> {
    if (isMet()) return
    const met = new AbortController()
    hear = () => {
      if (isMet()) met.abort()
    }
    await pause(ms, undefined, { signal: met.signal }).catch(() => undefined)
    hear = undefined
  }

  return {
    /** A parallel transaction begins. @returns a function to call once it has committed or rolled back. */
    enter: (): (() => void) => {
      const transaction = Symbol('transaction')
      atWork += 1
      unawaited.add(transaction)
      return () => {
        atWork -= 1
        unawaited.delete(transaction)
        hear?.()
      }
    },

    isAnyAtWork: (): boolean => atWork > 0,

    /** To be called when one more writer waits. */
    came: (): void => hear?.(),

    /** A batch is over. */
    done: ({ ms, writers }: { readonly ms: number; readonly writers: number }): void => {
      lastMs = ms
      writersBefore = lastWriters
      lastWriters = writers
    },

    /** Milliseconds that the last batch took. */
    lastMs: (): number => lastMs,

    /**
     * Writers who were answered by the last two batches are likely to come again, and those whose transaction has begun are
     * certain to. But a writer who comes alone waits for nobody.
     */
    gather: async (): Promise<void> => {
      const ms = Math.min(lastMs * share, maxMs)
      const likely = lastWriters + writersBefore
      if (ms < minMs) return
      if (likely > 2) await untilMet(() => waiting() >= likely, ms)
      const awaited = [...unawaited]
      await untilMet(() => unawaited.size === 0, ms)
      for (const transaction of awaited) unawaited.delete(transaction)
    },
  }
}
