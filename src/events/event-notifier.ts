// Wakes those who wait for events: one look at the database for all of them, and none while nobody waits.
import type { Jobs } from '../jobs/runner.ts'
import type { Db } from '../database/database.ts'
import { newestPosition } from './outbox.ts'

const standardPollMs = 500

export interface EventNotifierDependencies {
  readonly db: Db
  readonly jobs: Jobs
  /** How often it is looked, for what other processes do. */
  readonly pollMs?: number
}

interface Waiter {
  readonly position: number
  readonly wake: (isAhead?: boolean) => void
}

export function createEventNotifier({ db, jobs, pollMs = standardPollMs }: EventNotifierDependencies) {
  const waiting = new Set<Waiter>()
  let known = 0

  const job = jobs.add({
    name: 'event-streams',
    everyMs: pollMs,
    run: async () => {
      if (waiting.size === 0) return
      const before = [...waiting] // what they have seen was committed before this check
      known = await newestPosition(db)
      for (const { position, wake } of waiting) if (position < known) wake()
      for (const { position, wake } of before) if (position > known) wake(true)
    },
  })
  job.start()

  return {
    /**
     * Waits until there is an event after the position, at most this long, or until the signal.
     * @returns whether the position is ahead of the newest event: then it is of another feed, such as before a failover.
     */
    wait: (
      position: number,
      { maxMs, signal }: { readonly maxMs: number; readonly signal: AbortSignal },
    ): Promise<boolean> =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(false)
        if (position < known) {
          known = position // a reader that finds nothing waits for the next check: the feed may have gone back
          return resolve(false)
        }
        const wake = (isAhead = false): void => {
          clearTimeout(alarm)
          signal.removeEventListener('abort', stop)
          waiting.delete(waiter)
          resolve(isAhead)
        }
        const stop = (): void => wake()
        const waiter = { position, wake }
        const alarm = setTimeout(stop, maxMs).unref()
        signal.addEventListener('abort', stop)
        waiting.add(waiter)
      }),

    /** Reports that something may have been committed, so that nobody waits for the next look. */
    nudge: (): void => {
      if (waiting.size > 0) job.wake()
    },

    close: job.close,
  }
}

export type EventNotifier = ReturnType<typeof createEventNotifier>
