// Up to which position the outbox was shortened: the events up to the floor are gone, and all later ones are there.
//
// The floor is raised in the transaction that deletes. So a reader that reads events first and then the floor knows whether
// any were missing.
import { sql } from 'kysely'
import type { Db, Tx } from '../database/database.ts'

/** The name of its row in `counter`. */
const floorName = 'outbox-floor'

/** Position up to which events were deleted; 0 if none were. */
export async function readFloor(db: Db): Promise<number> {
  const row = await db.selectFrom('counter').select('value').where('name', '=', floorName).executeTakeFirst()
  return row?.value ?? 0
}

/** Time of the newest event; undefined if there is none. */
export async function findNewestTime(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('outbox')
    .select('at')
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.at
}

export interface OldEvent {
  readonly position: number
  readonly at: number
}

/** The oldest events that are kept. */
export function listOldest(db: Db, after: number, limit: number): Promise<OldEvent[]> {
  return db
    .selectFrom('outbox')
    .select(['position', 'at'])
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit)
    .execute()
}

/** Deletes the events up to the position, which becomes the floor. */
export async function raiseFloor(tx: Tx, floor: number): Promise<void> {
  await tx.deleteFrom('outbox').where('position', '<=', floor).execute()
  await sql`insert into counter (name, value) values (${floorName}, ${floor})
    on conflict (name) do update set value = ${floor} where counter.value < ${floor}`.execute(tx)
}
