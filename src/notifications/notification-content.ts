// What to report to a submitter: the final moves of their photos, once the reviewer has paused.
import type { Move } from './decision-emails-table.ts'

const minute = 60_000
/**
 * Reviewers decide on many photos in a row, and correct mistakes: nobody is notified until this long after the last
 * decision.
 */
const quietMs = 2 * minute
/** But no longer than so after the first. */
const maxWaitMs = 15 * minute
/** Decisions older than this are no longer reported. */
export const giveUpMs = 48 * 60 * minute

export interface DecisionNotice {
  readonly imageId: number
  readonly decision: 'approved' | 'rejected'
  readonly reason: string | null
}

/** Everything to report to one submitter. */
export interface NotificationContent {
  readonly submitterId: number
  readonly photos: readonly DecisionNotice[]
  /** The first move that was not reported yet, and the last. */
  readonly first: number
  readonly last: number
  /** When the email is due. */
  readonly dueAt: number
}

/** The combined result of a photo's moves; undefined if there is nothing to report. */
function outcomeOf(moves: readonly Move[]): DecisionNotice | undefined {
  const [first] = moves
  const last = moves.at(-1)
  if (first === undefined || last === undefined) return undefined
  const { to: decision, imageId, reason } = last
  // Decisions that were undone within the pause never happened; what submitters do themselves they know.
  if (first.from === decision || last.actorId === last.submitterId) return undefined
  // A restored photo has its previous state.
  if (last.from === 'deleted') return undefined
  return decision === 'approved' || decision === 'rejected' ? { imageId, decision, reason } : undefined
}

/** @param moves of one submitter's photos that were not reported yet, in order. */
export function notificationContentOf(
  submitterId: number,
  moves: readonly Move[],
): NotificationContent | undefined {
  const byOthers = moves.filter(({ actorId }) => actorId !== submitterId)
  const first = byOthers[0]
  const last = byOthers.at(-1)
  if (first === undefined || last === undefined) return undefined
  const byPhoto = Map.groupBy(moves, ({ imageId }) => imageId)
  return {
    submitterId,
    photos: [...byPhoto.values()].flatMap((ofPhoto) => outcomeOf(ofPhoto) ?? []),
    first: moves[0]?.position ?? first.position,
    last: moves.at(-1)?.position ?? last.position,
    dueAt: Math.min(last.at + quietMs, first.at + maxWaitMs),
  }
}
