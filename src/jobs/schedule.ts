// When hourly work is due: an hour after it was done, ten minutes after it failed or its server died.
import type { Db } from '../database/database.ts'
import { findReadOnly } from '../database/read-only.ts'

export interface Schedule {
  /** Whether all servers of the installation keep to it. */
  readonly isShared: boolean
  isDue(): Promise<boolean> | boolean
  /** A run begins. */
  begin(): void
  /** A run that began at `begun` has succeeded. */
  done(begun: number): Promise<void> | void
}

/** How often a server looks whether something is due. */
export const lookEveryMs = 300_000
/** An hour, at the next check: minus half the time between two, so that some seconds make no difference. */
const againAfterMs = 3_600_000 - lookEveryMs / 2
/** Clocks of servers may differ by this much, and another server would repeat what one has just done. */
const clocksDifferMs = 60_000
/** Long enough that work that fails at once costs little. Of several servers, it is the length of the lease. */
export const retryAfterMs = 600_000

/** A time further ahead than any that is set was set by a clock that was wrong. */
const isAhead = (time: number, at: number): boolean => time > at && time <= at + againAfterMs + clocksDifferMs

/** For a single server, which starts with the work. */
export function createOwnSchedule(now: () => number): Schedule {
  let dueAt = 0
  return {
    isShared: false,
    isDue: () => !isAhead(dueAt, now()),
    begin: () => {
      dueAt = now() + retryAfterMs
    },
    done: (begun) => {
      dueAt = begun + againAfterMs
    },
  }
}

/** For several servers on one database. @param name of the counter that holds the time when it is next due. */
export function createSharedSchedule(db: Db, name: string, now: () => number): Schedule {
  return {
    isShared: true,
    isDue: async () => {
      const row = await db.selectFrom('counter').select('value').where('name', '=', name).executeTakeFirst()
      return !isAhead(row?.value ?? 0, now())
    },
    begin: () => undefined, // the lease expires after ten minutes, whatever happens to its server
    done: async (begun) => {
      const value = begun + againAfterMs
      await db.transaction().execute(async (tx) => {
        // A run in progress when the installation becomes read-only writes nothing more: its rows may be being
        // migrated.
        if (await findReadOnly(tx)) return
        await tx
          .insertInto('counter')
          .values({ name, value })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
          .execute()
      })
    },
  }
}
