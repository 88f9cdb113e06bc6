// The states of an image and the decisions that move it between them (contract C23).
//
//                 approve                     remove
//   upload → pending ─────────→ approved ────────────────→ removed
//              │  ↑ ↑   reopen   │   ↑        restore         │
//       reject │  │ └────────────┘   └────────────────────────┤
//              ↓  │ reopen           │ restore                │ reopen
//            rejected ───────────────┘                        ↓
//                                                          pending
//
// `deleted` (the submitter's and staff's trash) can be reached from every state; an image there answers as unknown.

export const imageStates = ['pending', 'approved', 'rejected', 'removed', 'deleted'] as const
export type ImageStatus = (typeof imageStates)[number]

export const decisions = ['approve', 'reject', 'remove', 'restore', 'reopen'] as const
export type Decision = (typeof decisions)[number]

/** Each decision: the states it may start from, and the one it leads to. */
const moves = {
  approve: { from: ['pending'], to: 'approved' },
  reject: { from: ['pending'], to: 'rejected' },
  remove: { from: ['approved'], to: 'removed' },
  restore: { from: ['rejected', 'removed'], to: 'approved' },
  reopen: { from: ['approved', 'rejected', 'removed'], to: 'pending' },
} as const satisfies Record<Decision, { from: readonly ImageStatus[]; to: ImageStatus }>

/** The state that the decision leads to, or undefined where it cannot be taken from this one. */
export function stateAfter(decision: Decision, from: ImageStatus): ImageStatus | undefined {
  const move: { readonly from: readonly ImageStatus[]; readonly to: ImageStatus } = moves[decision]
  return move.from.includes(from) ? move.to : undefined
}

/** Decisions that can be taken from a state, in the list's order. */
export function decisionsFrom(from: ImageStatus): Decision[] {
  return decisions.filter((decision) => stateAfter(decision, from) !== undefined)
}
