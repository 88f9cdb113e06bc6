// SQL of review: the state of an image and its append-only history.
import { sql } from 'kysely'
import type { AccountStatus } from '../shared/image-states.ts'
import type { Db, Tx } from '../database/database.ts'
import type { ImageState } from '../database/schema.ts'

export interface ReviewedImage {
  readonly id: number
  readonly trailId: number
  readonly submitterId: number
  readonly state: ImageState
  readonly accountStatus: AccountStatus
}

export async function findReviewedImage(db: Db, id: number): Promise<ReviewedImage | undefined> {
  const row = await db
    .selectFrom('image')
    .select([
      'id',
      'trail_id as trailId',
      'submitter_id as submitterId',
      'state',
      'accepted_title as acceptedTitle',
    ])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) return undefined
  const { acceptedTitle, ...image } = row
  return {
    ...image,
    accountStatus: image.state === 'approved' && acceptedTitle !== null ? 'edited' : image.state,
  }
}

/** Locks the image's row until the transaction ends, so that nobody changes its state or texts. */
export async function lockImage(tx: Tx, imageId: number): Promise<void> {
  await tx
    .updateTable('image')
    .set(({ ref }) => ({ queued_at: ref('queued_at') }))
    .where('id', '=', imageId)
    .execute()
}

export interface Move {
  readonly from: AccountStatus
  readonly to: ImageState
  readonly at: number
  /** Whether the current texts now count as accepted; the previously accepted ones are kept for an undo. */
  readonly acceptsTexts: boolean
  /** Whether the texts that the last approval replaced are the accepted ones again. */
  readonly putsTextsBack?: boolean
}

function textColumns({ acceptsTexts, putsTextsBack = false }: Move) {
  const column = (name: string) => sql.ref<string | null>(name)
  if (acceptsTexts) {
    return {
      prior_title: column('accepted_title'),
      prior_caption: column('accepted_caption'),
      accepted_title: null,
      accepted_caption: null,
    }
  }
  const noneKept = { prior_title: null, prior_caption: null }
  return putsTextsBack
    ? { ...noneKept, accepted_title: column('prior_title'), accepted_caption: column('prior_caption') }
    : noneKept
}

/**
 * Changes the state of the image if it is still `from`; returns whether it was: of two reviewers at once, one succeeds.
 */
export async function moveImage(tx: Tx, id: number, move: Move): Promise<boolean> {
  const { from, to, at, acceptsTexts } = move
  const { numUpdatedRows } = await tx
    .updateTable('image')
    .set({ state: to, updated_at: at, ...textColumns(move) })
    .where('id', '=', id)
    .where('state', '=', from === 'edited' ? 'approved' : from)
    // An edit is accepted once: from approved to approved, the state alone would let a second one through.
    .$if(from === 'edited' && acceptsTexts, (query) => query.where('accepted_title', 'is not', null))
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
