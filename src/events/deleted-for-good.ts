// Many images deleted for good at once: the same events and history as one by one, in a tenth of the statements.
import type { Tx } from '../database/database.ts'
import { chainDigest } from '../database/history-chain.ts'
import type { ImageState } from '../database/schema.ts'
import { countGone, digestBefore, takePositions } from './outbox.ts'

/** An image whose row goes, with the state that it goes from. */
export interface DeletedImage {
  readonly id: number
  readonly trailId: number
  readonly submitterId: number
  readonly state: ImageState
}

const type = 'image.deleted'

/**
 * Records event and history of each image that was not in the trash, and removes all of them from the counts. Call it
 * in the transaction that deletes their rows, for about a hundred at a time, since each takes a dozen parameters of a
 * statement.
 */
export async function recordDeletedForGood(
  tx: Tx,
  images: readonly DeletedImage[],
  { at, actorId }: { readonly at: number; readonly actorId: number },
): Promise<void> {
  const visible = images.filter(({ state }) => state !== 'deleted')
  if (visible.length > 0) {
    const first = (await takePositions(tx, visible.length)) - visible.length + 1
    let digest = await digestBefore(tx, first)
    const moves = visible.map(({ id, state }, index) => {
      const move = {
        position: first + index,
        image_id: id,
        at,
        actor_id: actorId,
        from_state: state,
        to_state: 'deleted' as const,
        reason: null,
        note: null,
      }
      digest = chainDigest(digest, move)
      return { ...move, digest }
    })
    const events = visible.map(({ id, trailId, submitterId, state }, index) => ({
      position: first + index,
      type,
      at,
      data: JSON.stringify({ imageID: id, trailID: trailId, status: 'deleted' }),
      account_id: null,
      image_id: id,
      trail_id: trailId,
      submitter_id: submitterId,
      from_state: state,
      to_state: 'deleted' as const,
    }))
    await tx.insertInto('outbox').values(events).execute()
    await tx.insertInto('image_history').values(moves).execute()
  }
  for (const [state, alike] of Map.groupBy(images, (image) => image.state))
    await countGone(tx, state, alike.length)
}
