// Wakes whoever waits for events: one look at the database for all that wait in this process, and none while nobody does.
import type { Db } from '../database/database.ts'
import { newestPosition } from './outbox.ts'

const standardPollMs = 500

export interface NewsDependencies {
  readonly db: Db
  /** Told of the first of several looks in a row that fail. */
  readonly onFault: (error: unknown) => void
  /** How often it is looked, for what other processes do. */
  readonly pollMs?: number
}

interface Waiter {
  readonly position: number
  readonly wake: () => void
}

export function createNews({ db, onFault, pollMs = standardPollMs }: NewsDependencies) {
  const waiting = new Set<Waiter>()
  let known = 0
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  let mustLookAgain = false
  let isFailing = false

  async function lookOnce(): Promise<void> {
    try {
      known = await newestPosition(db)
      isFailing = false
    } catch (error) {
      if (!isFailing) onFault(error)
      isFailing = true
    }
    for (const { position, wake } of waiting) if (position < known) wake()
  }

  async function look(): Promise<void> {
    mustLookAgain = true
    if (isLooking) return
    isLooking = true
    // What was committed during a look may be missing in it.
    while (mustLookAgain && waiting.size > 0) {
      mustLookAgain = false
      await lookOnce()
    }
    isLooking = false
  }

  return {
    /** Waits until there is an event after the position, for so long at most, or until the signal. */
    wait: (
      position: number,
      { maxMs, signal }: { readonly maxMs: number; readonly signal: AbortSignal },
    ): Promise<void> =>
      new Promise((resolve) => {
        if (signal.aborted || position < known) return resolve()
        const wake = (): void => {
          clearTimeout(alarm)
          signal.removeEventListener('abort', wake)
          waiting.delete(waiter)
          if (waiting.size === 0) {
            clearInterval(timer)
            timer = undefined
          }
          resolve()
        }
        const waiter = { position, wake }
        const alarm = setTimeout(wake, maxMs).unref()
        signal.addEventListener('abort', wake)
        waiting.add(waiter)
        timer ??= setInterval(() => void look(), pollMs).unref()
      }),

    /** Says that something may have happened just now, so that nobody waits for the next look. */
    nudge: (): void => {
      if (waiting.size > 0) void look()
    },
  }
}

export type News = ReturnType<typeof createNews>
