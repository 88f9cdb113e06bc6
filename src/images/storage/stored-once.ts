// From when on photos are stored once: not while nodes of the version before may still be there, which cannot rebuild one.
import type { Db } from '../../database/database.ts'

/** Written by migration 0019: milliseconds since 1970 UTC. */
const storedOnceFrom = 'photos-once-from'

/** @returns whether it is time; where it was once, the database is not asked again. */
export function createStoredOnce(db: Db, now: () => number): () => Promise<boolean> {
  let isTime = false
  return async () => {
    if (isTime) return true
    const row = await db
      .selectFrom('counter')
      .select('value')
      .where('name', '=', storedOnceFrom)
      .executeTakeFirst()
    isTime = row === undefined || now() >= row.value
    return isTime
  }
}
