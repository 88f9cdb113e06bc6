// Rules of review: one decision moves one image, with its audit row and its event, or nothing happens (contract C22, C23).
import { accountOf, permit, type Actor } from '../auth/guard.ts'
import {
  decisionsFrom,
  stateAfter,
  type DecidedStatus,
  type Decision,
  type ImageStatus,
} from '../shared/image-states.ts'
import { inSharedTransaction, type Db, type Tx } from '../database/database.ts'
import { together } from '../database/together.ts'
import { refuse, type Refusal } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import type { Happened } from '../texts/en/review.ts'
import type { EventTypeOf } from '../shared/event-types.ts'
import { bumpTrailVersion, recordMove } from '../events/outbox.ts'
import { deleteClaim } from './claims/claims-table.ts'
import { findClaimed } from './claims/claims.ts'
import { requireFreeReason } from './reasons.ts'
import { closeReports } from './reports/report-table.ts'
import { findLastMove, findReviewedImage, moveImage, type Move, type ReviewedImage } from './review-table.ts'

export interface ReviewRequest {
  readonly decision: Decision
  readonly reason: string | undefined
  readonly note: string | undefined
}

/**
 * Throws if the client's conditions on the image do not hold: a reviewer decides on the texts they have seen, not on
 * later ones. Called within the transaction, which has the image as a key.
 */
export type ReviewPrecondition = (tx: Tx) => Promise<void>

const eventOf: Readonly<Record<Decision, EventTypeOf<'image'>>> = {
  approve: 'image.approved',
  reject: 'image.rejected',
  remove: 'image.removed',
  restore: 'image.restored',
  reopen: 'image.reopened',
}

/** The image, if it is there for this reviewer. @throws refusals `invalid-image-id`, `forbidden`, `insufficient-scope`. */
export async function requireReviewed(
  db: Db,
  actor: Actor,
  imageId: number | undefined,
): Promise<ReviewedImage> {
  const image = imageId === undefined ? undefined : await findReviewedImage(db, imageId)
  if (!image || image.state === 'deleted') throw refuse('invalid-image-id')
  permit(actor, 'review-image', image)
  return image
}

/** The current trail and submitter of the image. */
export async function whatHappened(db: Db, { id, state }: ReviewedImage): Promise<Happened> {
  const last = await findLastMove(db, id)
  return { state: last?.to ?? state, last }
}

/** Tells the second reviewer what the first one did. */
async function tooLate(tx: Tx, seen: ReviewedImage, decision: Decision): Promise<Refusal> {
  // Read again: if the transaction sees later commits, its first read may be outdated.
  const image = (await findReviewedImage(tx, seen.id)) ?? seen
  const happened = await whatHappened(tx, image)
  const possible = decisionsFrom(image.accountStatus)
  return refuse('already-decided', {
    detail: inEach(({ review }) => review.tooLate(happened, decision, possible)),
  })
}

/** One move by a reviewer, whether it decides or undoes. */
export interface ReviewMove extends Omit<Move, 'from'> {
  readonly type: EventTypeOf<'image'>
  readonly reason: string | undefined
  readonly note: string | undefined
}

const endsReports: ReadonlySet<ImageStatus> = new Set(['rejected', 'removed'])

/**
 * Changes the state of an image with everything that follows: history, event, counts, queue, the version of its trail
 * if a list can show it, the end of its claim, and the reports of an image that is no longer shown.
 * @returns false if its state is no longer the one that was read; then nothing was changed.
 */
export async function makeMove(
  tx: Tx,
  actor: Actor,
  image: ReviewedImage,
  move: ReviewMove,
): Promise<boolean> {
  const { id: imageId, trailId, submitterId, state: from } = image
  const { type, to, at, reason, note } = move
  const { accountId: actorId } = accountOf(actor)
  if (!(await moveImage(tx, imageId, { ...move, from: image.accountStatus }))) return false
  await deleteClaim(tx, imageId)
  if (endsReports.has(to)) await closeReports(tx, imageId, { by: actorId, at })
  if (from === 'approved' || to === 'approved') await bumpTrailVersion(tx, trailId)
  await recordMove(tx, { type, at, imageId, trailId, submitterId, actorId, from, to, reason, note })
  return true
}

export interface ReviewDependencies {
  readonly db: Db
  readonly now: () => number
  /** Called once a decision is durable. */
  readonly onDecided?: (decision: Decision) => void
}

export function createReview({ db, now, onDecided }: ReviewDependencies) {
  /** @returns the new state, or the current image if another decision came first. */
  async function decideIn(
    tx: Tx,
    actor: Actor,
    imageId: number,
    { decision, reason, note }: ReviewRequest,
    precondition: ReviewPrecondition | undefined,
  ): Promise<DecidedStatus | ReviewedImage> {
    const at = now()
    const [image, claimed] = await together(tx, (each) => [
      requireReviewed(each, actor, imageId),
      findClaimed(each, imageId, { accountId: accountOf(actor).accountId, at }),
    ])
    const to = stateAfter(decision, image.accountStatus)
    if (to === undefined) return image
    await precondition?.(tx)
    if (claimed) throw claimed
    const move = { type: eventOf[decision], to, at, acceptsTexts: decision === 'approve', reason, note }
    return (await makeMove(tx, actor, image, move)) ? to : image
  }

  return {
    /** Checks that the image exists and this actor may review it, before the body is read (contract C31). */
    requireReviewable: async (actor: Actor, imageId: number | undefined): Promise<number> =>
      (await requireReviewed(db, actor, imageId)).id,

    /**
     * @returns the new state.
     * @throws refusals `invalid-image-id`, `forbidden`, `insufficient-scope`, `already-decided`, `claimed`,
     * `invalid-field`, and what `precondition` throws.
     */
    decide: async (
      actor: Actor,
      imageId: number,
      request: ReviewRequest,
      precondition?: ReviewPrecondition,
    ): Promise<DecidedStatus> => {
      requireFreeReason(request.reason)
      const to = await inSharedTransaction(db, [`image:${imageId}`], (tx) =>
        decideIn(tx, actor, imageId, request, precondition),
      )
      // Alone: only then is the history complete and the first decision durable.
      if (typeof to !== 'string')
        throw await db.transaction().execute((tx) => tooLate(tx, to, request.decision))
      onDecided?.(request.decision)
      return to
    },
  }
}

export type Review = ReturnType<typeof createReview>
