// Undo: the move back to the state before the last decision; the undo of an undo makes the decision again (contract C23).
import { accountOf, type Actor } from '../auth/guard.ts'
import type { ImageStatus } from '../shared/image-states.ts'
import type { Db, Tx } from '../database/database.ts'
import { refuse, type Refusal } from '../errors.ts'
import { inEach, type Texts } from '../texts/texts.ts'
import type { EventTypeOf } from '../shared/event-types.ts'
import { requireUnclaimed } from './claims/claims.ts'
import { dismissalReason, undoReason } from './reasons.ts'
import { makeMove, requireReviewed, whatHappened } from './review.ts'
import { lockImage, type ReviewedImage } from './review-table.ts'
import { countMovesAfter, findLastDecision, findNewestPosition, isUpdatedAfter } from './undo-table.ts'

/** The event type, by the state that the undo restores. */
const eventTo: Readonly<Record<ImageStatus, EventTypeOf<'image'>>> = {
  pending: 'image.reopened',
  approved: 'image.restored',
  rejected: 'image.rejected',
  removed: 'image.removed',
  deleted: 'image.deleted',
}

const notUndoable = (why: (texts: Texts['review']) => string): Refusal =>
  refuse('not-undoable', { detail: inEach(({ review }) => why(review)) })

/** What the last decision was and what making it undone, or made again, does. */
async function planUndo(tx: Tx, image: ReviewedImage, newest: number) {
  const decision = await findLastDecision(tx, image.id, undoReason)
  if (!decision || decision.from === null) throw notUndoable(({ noDecision }) => noDecision)
  if (decision.reason === dismissalReason) throw notUndoable(({ dismissed }) => dismissed)
  if (decision.from === 'deleted' || decision.to === 'deleted')
    throw notUndoable(({ wasInTrash }) => wasInTrash)
  if (await isUpdatedAfter(tx, image.id, newest)) throw notUndoable((texts) => texts.isUpdated)
  const isUndone = (await countMovesAfter(tx, image.id, decision.position)) % 2 === 1
  const [from, to] = isUndone ? [decision.from, decision.to] : [decision.to, decision.from]
  if (image.state !== from) throw notUndoable(({ otherState }) => otherState(image.state, from))
  // Only approving leaves the state as it is, and only that affects which texts are accepted.
  const isApproval =
    decision.to === 'approved' && (decision.from === 'pending' || decision.from === 'approved')
  return { to, acceptsTexts: isApproval && isUndone, putsTextsBack: isApproval && !isUndone }
}

export interface UndoRequest {
  readonly note: string | undefined
  /** The position of the move to undo, as the client has seen it. */
  readonly position: number | undefined
}

export function createUndo(db: Db, now: () => number) {
  async function undoIn(
    tx: Tx,
    actor: Actor,
    imageId: number,
    { note, position }: UndoRequest,
  ): Promise<void> {
    await lockImage(tx, imageId)
    const image = await requireReviewed(tx, actor, imageId)
    const at = now()
    const newest = await findNewestPosition(tx, imageId)
    if (newest === undefined || newest !== position) {
      const happened = await whatHappened(tx, image)
      throw refuse('already-decided', { detail: inEach(({ review }) => review.undoTooLate(happened)) })
    }
    const plan = await planUndo(tx, image, newest)
    await requireUnclaimed(tx, imageId, { accountId: accountOf(actor).accountId, at })
    const move = { ...plan, type: eventTo[plan.to], at, reason: undoReason, note }
    // The row is locked, and was read after that.
    if (!(await makeMove(tx, actor, image, move))) throw new Error('a locked image changed state')
  }

  return {
    /**
     * Undoes the last decision: without a position, the one that was last when this was called. Of two undos at once,
     * or an undo and a decision, the second is refused, and never undoes what the first has done.
     * @throws refusals `invalid-image-id`, `forbidden`, `insufficient-scope`, `not-undoable`, `already-decided`,
     * `claimed`.
     */
    undo: async (actor: Actor, imageId: number, { note, position }: UndoRequest): Promise<void> => {
      const seen = position ?? (await findNewestPosition(db, imageId))
      await db.transaction().execute((tx) => undoIn(tx, actor, imageId, { note, position: seen }))
    },
  }
}

export type Undo = ReturnType<typeof createUndo>
