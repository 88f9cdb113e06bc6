// SQL of review: the state of an image and its append-only history.
import type { Db, Tx } from '../database/database.ts'
import type { ImageState } from '../database/schema.ts'

export interface ReviewedImage {
  readonly id: number
  readonly trailId: number
  readonly submitterId: number
  readonly state: ImageState
}

export function findReviewedImage(db: Db, id: number): Promise<ReviewedImage | undefined> {
  return db
    .selectFrom('image')
    .select(['id', 'trail_id as trailId', 'submitter_id as submitterId', 'state'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Moves the image if it is still in `from`; says whether it was: of two reviewers at once, one. */
export async function moveImage(
  tx: Tx,
  id: number,
  move: { readonly from: ImageState; readonly to: ImageState; readonly at: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('image')
    .set({ state: move.to, updated_at: move.at })
    .where('id', '=', id)
    .where('state', '=', move.from)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The newest move of an image, with the name of who made it. */
export function findLastMove(db: Db, imageId: number) {
  return db
    .selectFrom('image_history')
    .innerJoin('account', 'account.id', 'image_history.actor_id')
    .select(['image_history.at', 'image_history.to_state as to', 'account.display_name as displayName'])
    .where('image_id', '=', imageId)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
}
