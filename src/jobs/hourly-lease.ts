// When a server's hourly work is due, and which of several servers does it: what failed, or died, is soon tried again.
//
//   due → at work (of several servers one, by a lease that it renews) → done: due in an hour
//                                                                    → failed or died: due in ten minutes
import type { Db, Tx } from '../database/database.ts'
import { dropLease, takeLease } from '../database/leases.ts'
import { findReadOnly } from '../database/read-only.ts'

/** How often a server looks whether something is due. */
export const lookEveryMs = 300_000
/** An hour, by the look that comes next: half of the time between two less, so that some seconds decide nothing. */
const againAfterMs = 3_600_000 - lookEveryMs / 2
/** Clocks of servers may differ by so much, and one more would begin what another has just done. */
const clocksDifferMs = 60_000
/** Long enough that work that fails at once costs little; and what may have failed with the database needs no row to say so. */
const triedAgainAfterMs = 600_000
const renewEveryMs = 150_000

/** Holds the moment from which on the work is due. */
const due = 'upkeep-lease'
/** Held by whoever is at work. */
const running = 'upkeep-running'

/** A moment further ahead than any that is set was set by a clock that was wrong. */
const isAhead = (moment: number, at: number): boolean =>
  moment > at && moment <= at + againAfterMs + clocksDifferMs

export interface HourlyTurns {
  /**
   * Does the work where it is due, and where no other server is at it.
   * @throws what the work throws.
   */
  take(work: () => Promise<void>): Promise<void>
}

/** Of the only server, which begins with the work. */
export function createOwnTurns(now: () => number): HourlyTurns {
  let dueAt = 0
  return {
    take: async (work) => {
      const at = now()
      if (isAhead(dueAt, at)) return
      dueAt = at + triedAgainAfterMs
      await work()
      dueAt = at + againAfterMs
    },
  }
}

/** Of one server of several on the same database. */
export function createSharedTurns(db: Db, now: () => number): HourlyTurns {
  async function isDue(): Promise<boolean> {
    const row = await db.selectFrom('counter').select('value').where('name', '=', due).executeTakeFirst()
    return !isAhead(row?.value ?? 0, now())
  }

  /** What was under way when the installation became read-only notes nothing more: its rows may be moving elsewhere. */
  function ifWritable<T>(work: (tx: Tx) => Promise<T>): Promise<T | undefined> {
    return db
      .transaction()
      .execute(async (tx) => ((await findReadOnly(tx)) === undefined ? work(tx) : undefined))
  }

  async function setDue(tx: Tx, value: number): Promise<void> {
    await tx
      .insertInto('counter')
      .values({ name: due, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute()
  }

  return {
    take: async (work) => {
      if (!(await isDue())) return
      const begun = now()
      let kept = 0
      const hold = async (): Promise<boolean> => {
        const at = now()
        const until = at + triedAgainAfterMs
        const isHeld = await ifWritable((tx) => takeLease(tx, running, { now: at, until, kept }))
        if (isHeld === true) kept = until
        return isHeld === true
      }
      if (!(await hold())) return
      // Another may have done it between the two.
      if (!(await isDue())) return ifWritable((tx) => dropLease(tx, running, kept))
      let renewing = Promise.resolve()
      const timer = setInterval(() => {
        renewing = hold().then(
          () => undefined,
          () => undefined, // the next renewal may reach the database; if none does, another server may take over
        )
      }, renewEveryMs)
      try {
        await work()
      } finally {
        clearInterval(timer)
        await renewing
      }
      await ifWritable(async (tx) => {
        await setDue(tx, begun + againAfterMs)
        await dropLease(tx, running, kept)
      })
    },
  }
}
