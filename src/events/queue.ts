// Which images wait for review: kept with every change that makes one wait or no longer wait, in its transaction.
import { sql, type RawBuilder } from 'kysely'
import type { Tx } from '../database/database.ts'
import { later } from '../database/together.ts'

/**
 * What `queued_at` of an image's row becomes, for an update of the row. It waits while it is pending, or listed with a text
 * that review has not accepted or a report that nobody has closed.
 * @param isEdited whether it has such a text.
 */
export const queuedAt = (at: number, isEdited: RawBuilder<boolean>): RawBuilder<number | null> =>
  sql<number | null>`case
    when state = 'pending' or (state = 'approved' and (${isEdited} or open_reports > 0))
    then coalesce(queued_at, ${at}) end`

/**
 * Adds the image to the queue, leaves it at its position there, or removes it, depending on its row. If nothing changes, the
 * row is not written: PostgreSQL would write it and its entry in each of its indexes again.
 */
export async function requeue(tx: Tx, imageId: number, at: number): Promise<void> {
  const isEdited = sql<boolean>`accepted_title is not null`
  const place = queuedAt(at, isEdited)
  const placing = sql`update image set queued_at = ${place}
    where id = ${imageId} and queued_at is distinct from ${place}`
  await later(tx, placing.compile(tx))
}
