// Which images wait for review: updated in the transaction of every change that affects it.
import { sql, type RawBuilder } from 'kysely'
import type { Tx } from '../database/database.ts'
import { later } from '../database/together.ts'

/**
 * The new value of `queued_at`, for an update of the image's row. An image waits while it is pending, or while it is
 * listed and has an unaccepted text or an open report.
 * @param isEdited whether it has such a text.
 */
export const queuedAt = (at: number, isEdited: RawBuilder<boolean>): RawBuilder<number | null> =>
  sql<number | null>`case
    when state = 'pending' or (state = 'approved' and (${isEdited} or open_reports > 0))
    then coalesce(queued_at, ${at}) end`

/**
 * Adds the image to the queue, leaves it at its position, or removes it, depending on its row. If nothing changes, the
 * row is not written: PostgreSQL would write it and all its index entries again.
 */
export async function requeue(tx: Tx, imageId: number, at: number): Promise<void> {
  const isEdited = sql<boolean>`accepted_title is not null`
  const place = queuedAt(at, isEdited)
  const placing = sql`update image set queued_at = ${place}
    where id = ${imageId} and queued_at is distinct from ${place}`
  await later(tx, placing.compile(tx))
}
