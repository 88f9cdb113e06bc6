// What a submitter is to be told: the moves of their photos as they stand in the end, once the reviewer has paused.
import type { Move } from './decision-emails-table.ts'

const minute = 60_000
/** Reviewers decide on many in a row, and take back what was a slip: so long after the last decision nobody is told. */
const quietMs = 2 * minute
/** But no longer than so after the first. */
const maxWaitMs = 15 * minute
/** What could not be told for so long is told no more. */
export const giveUpMs = 48 * 60 * minute

export interface DecisionNotice {
  readonly imageId: number
  readonly decision: 'approved' | 'rejected'
  readonly reason: string | null
}

/** All that is to be told to one submitter. */
export interface NotificationContent {
  readonly submitterId: number
  readonly photos: readonly DecisionNotice[]
  /** Of the first move that is not told yet, and of the last. */
  readonly first: number
  readonly last: number
  /** From when on they are told. */
  readonly dueAt: number
}

/** What the moves of one photo came to; undefined where nothing is to be told of it. */
function outcomeOf(moves: readonly Move[]): DecisionNotice | undefined {
  const [first] = moves
  const last = moves.at(-1)
  if (first === undefined || last === undefined) return undefined
  const { to: decision, imageId, reason } = last
  // What was taken back within the pause never happened; what submitters do themselves they know.
  if (first.from === decision || last.actorId === last.submitterId) return undefined
  // Out of the trash it comes as it was.
  if (last.from === 'deleted') return undefined
  return decision === 'approved' || decision === 'rejected' ? { imageId, decision, reason } : undefined
}

/** @param moves in order; those of one submitter's photos that were not told yet. */
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
