// Which images wait for review: kept with every change that makes one wait or no longer wait, in its transaction.
import { sql } from 'kysely'
import type { Tx } from '../database/database.ts'

/**
 * Puts the image into the queue, leaves it at its place there, or takes it out, as its row now stands. It waits while it is
 * pending, or listed with a text that review has not accepted or a report that nobody has closed.
 */
export async function requeue(tx: Tx, imageId: number, at: number): Promise<void> {
  await tx
    .updateTable('image')
    .set({
      queued_at: sql<number | null>`case
        when state = 'pending' or (state = 'approved' and (accepted_title is not null or open_reports > 0))
        then coalesce(queued_at, ${at}) end`,
    })
    .where('id', '=', imageId)
    .execute()
}
