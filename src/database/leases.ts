// Leases: a job that one of several servers runs, for as long as it renews the lease in time.
import type { Db, Tx } from './database.ts'
import { findReadOnly } from './read-only.ts'

export interface Lease {
  /** Takes or renews it. @returns whether this server has it. */
  hold(): Promise<boolean>
  /** Renews it from time to time. @returns what stops that. */
  keepHeld(): () => Promise<void>
  /** Gives it back at once, if this server has it. */
  drop(): Promise<void>
  /** Lets it expire: until then no server has it, not even this one. */
  abandon(): void
}

export interface LeaseOptions {
  /** Identifies its row; the same on every server. */
  readonly name: string
  /** How long it lasts without being renewed. */
  readonly lengthMs: number
  readonly now: () => number
}

/** A lease in the table `counter`, whose value is the time at which it ends. */
export function createLease(db: Db, { name, lengthMs, now }: LeaseOptions): Lease {
  /** The end that this server last wrote; 0 for none. */
  let ours = 0

  /** Once the installation is read-only nothing more is written: its rows may be moving elsewhere. */
  function ifWritable(work: (tx: Tx) => Promise<boolean>): Promise<boolean> {
    return db.transaction().execute(async (tx) => ((await findReadOnly(tx)) === undefined ? work(tx) : false))
  }

  /** A time much further ahead than any that is given was written by a clock that was wrong. */
  async function take(tx: Tx, at: number): Promise<boolean> {
    const until = at + lengthMs
    const { numInsertedOrUpdatedRows = 0n } = await tx
      .insertInto('counter')
      .values({ name, value: until })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet({ value: until })
          .where((eb) =>
            eb.or([
              eb('counter.value', '<=', at),
              eb('counter.value', '=', ours),
              eb('counter.value', '>', until + lengthMs),
            ]),
          ),
      )
      .executeTakeFirst()
    return numInsertedOrUpdatedRows > 0n
  }

  async function hold(): Promise<boolean> {
    const at = now()
    const isHeld = await ifWritable((tx) => take(tx, at))
    if (isHeld) ours = at + lengthMs
    return isHeld
  }

  return {
    hold,

    keepHeld: () => {
      let renewing = Promise.resolve()
      const timer = setInterval(() => {
        renewing = hold().then(
          () => undefined,
          () => undefined, // the next renewal may reach the database; if none does, another server may take over
        )
      }, lengthMs / 4)
      return async () => {
        clearInterval(timer)
        await renewing
      }
    },

    abandon: () => {
      ours = 0
    },

    drop: async () => {
      if (ours === 0) return
      const held = ours
      ours = 0
      await ifWritable(async (tx) => {
        await tx
          .updateTable('counter')
          .set({ value: 0 })
          .where('name', '=', name)
          .where('value', '=', held)
          .execute()
        return true
      })
    },
  }
}
