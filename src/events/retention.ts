// Deletes events older than EVENT_RETENTION_DAYS, one batch per transaction, so that other writers do not wait long.
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { inTransaction, type Db, type Tx } from '../database/database.ts'
import { findReadOnly } from '../database/read-only.ts'
import { createRest } from '../jobs/rest.ts'
import { findNewestTime, listOldest, raiseFloor, readFloor } from './outbox-floor.ts'
import { readPosition } from './webhooks/webhook-table.ts'

const dayMs = 86_400_000
const eventsAtOnce = 1_000

export interface EventRetentionDependencies {
  readonly db: Db
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number
  /** How long events are kept; 0 means forever. Emails about decisions look back two days. */
  readonly days: number
}

interface Step {
  readonly deleted: number
  /** Whether the next step may find more. */
  readonly isMore: boolean
}

const nothing: Step = { deleted: 0, isMore: false }

export function createEventRetention({ db, now, days }: EventRetentionDependencies) {
  /**
   * Events younger than this stay. Age is measured from the clock or the newest event, whichever is earlier, so that a clock
   * that is ahead deletes nothing, and the newest event always stays.
   */
  async function findLimit(): Promise<number | undefined> {
    const newest = days === 0 ? undefined : await findNewestTime(db)
    return newest === undefined ? undefined : Math.min(now(), newest) - days * dayMs
  }

  async function step(tx: Tx, limit: number): Promise<Step> {
    if (await findReadOnly(tx)) return nothing // the installation may be migrating
    const floor = await readFloor(tx)
    const oldest = await listOldest(tx, floor, eventsAtOnce)
    // Webhooks have not processed later events yet; deliveries contain their payload.
    const deliveredUpTo = (await readPosition(tx)) ?? Number.POSITIVE_INFINITY
    const stays = oldest.findIndex(({ position, at }) => at >= limit || position > deliveredUpTo)
    const gone = stays < 0 ? oldest : oldest.slice(0, stays)
    const last = gone.at(-1)
    if (last === undefined) return nothing
    await raiseFloor(tx, last.position)
    return { deleted: gone.length, isMore: stays < 0 }
  }

  return {
    /**
     * Deletes old events. Positions are in commit order, and times nearly so. It stops at the first event that stays,
     * so that there are no gaps.
     * @returns how many events were deleted.
     */
    run: async (stopping: AbortSignal): Promise<number> => {
      const limit = await findLimit()
      if (limit === undefined) return 0
      const rest = createRest()
      let deleted = 0
      while (!stopping.aborted) {
        const begun = performance.now()
        const done = await inTransaction(db, (tx) => step(tx, limit))
        deleted += done.deleted
        if (!done.isMore) break
        await pause(rest(performance.now() - begun))
      }
      return deleted
    },
  }
}

export type EventRetention = ReturnType<typeof createEventRetention>
