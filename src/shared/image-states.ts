// The states of an image and the decisions that move it between them (contract C22, C23).
//
//                 approve                     remove
//   upload → pending ─────────→ approved ────────────────→ removed
//              │  ↑ ↑   reopen   │   ↑        restore         │
//       reject │  │ └────────────┘   └────────────────────────┤
//              ↓  │ reopen           │ restore                │ reopen
//            rejected ───────────────┘                        ↓
//                                                          pending
//
// `edited` is approved with a title or caption that review has not accepted. A change of them after approval leads there
// (images/images.ts: changeIn; with EDITED_PHOTOS=require-review it leads to pending: takeBack), a change back to what was accepted leads
// out again, and so does `approve`, which accepts. No other decision touches the mark: an image that is removed while
// edited is edited still when it is restored.
//
// An undo (review/undo.ts) is the move back to the state before, for the last decision alone, and the undo of an undo makes
// it again. What a trusted submitter uploads is approved in the same transaction, and their edits count as accepted
// (images/upload/trusted.ts).
//
// `deleted` (the submitter's and staff's trash) can be reached from every state; an image there answers as unknown.

export const imageStates = ['pending', 'approved', 'rejected', 'removed', 'deleted'] as const
export type ImageStatus = (typeof imageStates)[number]

/** The states that a decision can lead to. */
export type DecidedStatus = Exclude<ImageStatus, 'deleted'>
export const decidedStates: readonly DecidedStatus[] = imageStates.filter((state) => state !== 'deleted')

/** Where an image stands for a decision: its state, but for `edited`. */
export type AccountStatus = ImageStatus | 'edited'

export const decisions = ['approve', 'reject', 'remove', 'restore', 'reopen'] as const
export type Decision = (typeof decisions)[number]

/** Each decision: where it may start from, and the state it leads to. */
const moves = {
  approve: { from: ['pending', 'edited'], to: 'approved' },
  reject: { from: ['pending'], to: 'rejected' },
  remove: { from: ['approved', 'edited'], to: 'removed' },
  restore: { from: ['rejected', 'removed'], to: 'approved' },
  reopen: { from: ['approved', 'edited', 'rejected', 'removed'], to: 'pending' },
} as const satisfies Record<Decision, { from: readonly AccountStatus[]; to: DecidedStatus }>

/** The state that the decision leads to, or undefined where it cannot be taken from there. */
export function stateAfter(decision: Decision, from: AccountStatus): DecidedStatus | undefined {
  const move: { readonly from: readonly AccountStatus[]; readonly to: DecidedStatus } = moves[decision]
  return move.from.includes(from) ? move.to : undefined
}

/** Decisions that can be taken from there, in the list's order. */
export function decisionsFrom(from: AccountStatus): Decision[] {
  return decisions.filter((decision) => stateAfter(decision, from) !== undefined)
}
