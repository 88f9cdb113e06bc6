// Rules of review: one decision moves one image, with its audit row and its event, or nothing happens (contract C22, C23).
import { accountOf, permit, type Actor } from '../auth/guard.ts'
import { decisionsFrom, stateAfter, type Decision } from '../contract/image-states.ts'
import type { Db, Tx } from '../database/database.ts'
import { refuse, type Refusal } from '../errors.ts'
import type { ImageEventType } from '../events/events.ts'
import { bumpTrailVersion, recordMove } from '../events/outbox.ts'
import { findLastMove, findReviewedImage, moveImage, type ReviewedImage } from './review-table.ts'

export interface ReviewRequest {
  readonly decision: Decision
  readonly reason: string | undefined
  readonly note: string | undefined
}

const eventOf: Readonly<Record<Decision, ImageEventType>> = {
  approve: 'image.approved',
  reject: 'image.rejected',
  remove: 'image.removed',
  restore: 'image.restored',
  reopen: 'image.reopened',
}

/** Tells the one who came second what the first one did. */
async function tooLate(db: Db, image: ReviewedImage, decision: Decision): Promise<Refusal> {
  const last = await findLastMove(db, image.id)
  const what = last
    ? `It is ${image.state} since ${new Date(last.at).toISOString()}, by ${last.displayName}`
    : `It is ${image.state}`
  const possible = decisionsFrom(image.standing).join(' or ')
  return refuse('already-decided', {
    detail: `${what}; "${decision}" is not possible from there, only ${possible}.`,
  })
}

export function createReview(db: Db, now: () => number) {
  async function decideIn(tx: Tx, actor: Actor, imageId: number, request: ReviewRequest): Promise<void> {
    const image = await findReviewedImage(tx, imageId)
    if (!image || image.state === 'deleted') throw refuse('invalid-image-id')
    permit(actor, 'review-image', image)
    const { standing: from } = image
    const to = stateAfter(request.decision, from)
    const at = now()
    const acceptsTexts = request.decision === 'approve'
    if (to === undefined || !(await moveImage(tx, imageId, { from, to, at, acceptsTexts }))) {
      throw await tooLate(tx, image, request.decision)
    }
    await bumpTrailVersion(tx, image.trailId)
    await recordMove(tx, {
      type: eventOf[request.decision],
      at,
      imageId,
      trailId: image.trailId,
      submitterId: image.submitterId,
      actorId: accountOf(actor).accountId,
      from: image.state,
      to,
      reason: request.reason,
      note: request.note,
    })
  }

  return {
    /** That the image exists and this actor may review it, before anything of the body is looked at (contract C31). */
    requireReviewable: async (actor: Actor, imageId: number | undefined): Promise<number> => {
      const image = imageId === undefined ? undefined : await findReviewedImage(db, imageId)
      if (!image || image.state === 'deleted') throw refuse('invalid-image-id')
      permit(actor, 'review-image', image)
      return image.id
    },

    /** @throws refusals `invalid-image-id`, `forbidden`, `insufficient-scope`, `already-decided`. */
    decide: (actor: Actor, imageId: number, request: ReviewRequest): Promise<void> =>
      db.transaction().execute((tx) => decideIn(tx, actor, imageId, request)),
  }
}

export type Review = ReturnType<typeof createReview>
