// From when on photos are stored once: not while nodes of the version before may still be there, which cannot rebuild one.
import type { Db } from '../../database/database.ts'
import { findReadOnly } from '../../database/read-only.ts'

/**
 * Milliseconds since 1970 UTC. Migration 0019 writes -1 where there are photos, and the first node that looks makes it a
 * time; there is no such row where photos were stored once from the beginning.
 */
const storedOnceFrom = 'photos-once-from'
/** In which all nodes are replaced. */
const upgradeMs = 3_600_000

/** @returns whether it is time; where it was once, the database is not asked again. */
export function createStoredOnce(db: Db, now: () => number): () => Promise<boolean> {
  let isTime = false

  async function beginHour(): Promise<void> {
    if (await findReadOnly(db)) return
    await db
      .updateTable('counter')
      .set({ value: now() + upgradeMs })
      .where('name', '=', storedOnceFrom)
      .where('value', '<', 0)
      .execute()
  }

  return async () => {
    if (isTime) return true
    const row = await db
      .selectFrom('counter')
      .select('value')
      .where('name', '=', storedOnceFrom)
      .executeTakeFirst()
    if (row !== undefined && row.value < 0) await beginHour()
    isTime = row === undefined || (row.value >= 0 && now() >= row.value)
    return isTime
  }
}
