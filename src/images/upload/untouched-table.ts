// SQL that recognises repeated uploads: images that nobody has changed since (contract C18).
import { sql } from 'kysely'
import type { Db } from '../../database/database.ts'

/** Pending images of an account on a trail whose details were never set. */
export interface Unmodified {
  readonly submitterId: number
  readonly trailId: number
  readonly postedAfter: number
}

/**
 * A column in a form that no index serves. SQLite, which has no statistics here, would else prefer to walk what everybody
 * lately sent to the trail.
 */
const unindexed = (column: 'submitter_id' | 'trail_id' | 'posted_at') => sql<number>`${sql.ref(column)} + 0`

/** The newest of them that shows these bytes; found among the images that do. */
export async function findUnmodifiedImage(
  db: Db,
  { submitterId, trailId, postedAfter }: Unmodified,
  sha256: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('image')
    .select('id')
    .where('sha256', '=', sha256)
    .where(unindexed('submitter_id'), '=', submitterId)
    .where(unindexed('trail_id'), '=', trailId)
    .where('state', '=', 'pending')
    .where('details_set_at', 'is', null)
    .where(unindexed('posted_at'), '>', postedAfter)
    .orderBy(unindexed('posted_at'), 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** Whether there is one; found among what the account has pending, which its quota bounds. */
export async function hasUnmodifiedImage(
  db: Db,
  { submitterId, trailId, postedAfter }: Unmodified,
): Promise<boolean> {
  const row = await db
    .selectFrom('image')
    .select('id')
    .where('submitter_id', '=', submitterId)
    .where('state', '=', 'pending')
    .where('details_set_at', 'is', null)
    .where(unindexed('trail_id'), '=', trailId)
    .where(unindexed('posted_at'), '>', postedAfter)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
