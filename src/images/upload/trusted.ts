// How the status of a submitter affects their photos: nothing is stored for a deleted account, and a trusted one's are
// published at once.
import { sql } from 'kysely'
import { isSubmitter, type Actor } from '../../auth/guard.ts'
import type { Db, Tx } from '../../database/database.ts'
import { bumpTrailVersion, recordMove } from '../../events/outbox.ts'
import type { ChangedImage } from '../details-table.ts'

/** As the account stands at this moment. */
export async function isTrusted(db: Db, accountId: number): Promise<boolean> {
  const { rows } =
    await sql`select id from account where id = ${accountId} and trusted_at is not null`.execute(db)
  return rows.length > 0
}

export interface UploadedImage {
  readonly imageId: number
  readonly trailId: number
  readonly submitterId: number
  readonly at: number
}

/**
 * Approves what a trusted submitter has just uploaded, in the transaction of the upload: a second move, whose reason says
 * that no reviewer made it.
 */
export async function approveTrusted(tx: Tx, { imageId, trailId, submitterId, at }: UploadedImage) {
  await tx.updateTable('image').set({ state: 'approved' }).where('id', '=', imageId).execute()
  await bumpTrailVersion(tx, trailId)
  await recordMove(tx, {
    type: 'image.approved',
    at,
    imageId,
    trailId,
    submitterId,
    actorId: submitterId,
    from: 'pending',
    to: 'approved',
    reason: 'trusted',
  })
}

/** Whether the actor's change of the image's texts needs nobody's consent. */
export async function mayChangeUnseen(tx: Tx, actor: Actor, image: ChangedImage): Promise<boolean> {
  return image.state === 'approved' && isSubmitter(actor, image) && (await isTrusted(tx, image.submitterId))
}
