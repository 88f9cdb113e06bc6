// Why a decision on a photo came too late or cannot be undone, in a sentence: details of refusals.
import type { Decision, ImageStatus } from '../../shared/image-states.ts'

/** Where an image is; and who brought it there, where anybody has. */
export interface Happened {
  readonly state: ImageStatus
  readonly last: { readonly at: number; readonly displayName: string } | undefined
}

const happened = ({ state, last }: Happened): string =>
  last === undefined
    ? `It is ${state}`
    : `It has been ${state} since ${new Date(last.at).toISOString()}, by ${last.displayName}`

export const review = {
  tooLate: (what: Happened, decision: Decision, possible: readonly Decision[]) =>
    `${happened(what)}; "${decision}" is not possible from this state, only ${possible.join(' or ')}.`,
  undoTooLate: (what: Happened) => `${happened(what)}, so the decision to undo is no longer the last one.`,
  noDecision: 'No decision has been made on the image yet.',
  dismissed: 'Its reports have been dismissed since the last decision, and closed reports stay closed.',
  wasInTrash: 'The image has been in the trash since the last decision.',
  isUpdated: 'Its title, caption or position have been changed since the last decision.',
  otherState: (state: ImageStatus, expected: ImageStatus) =>
    `The image is ${state}, but its history says ${expected}.`,
  claimed: (by: string, until: number) => `${by} has claimed it until ${new Date(until).toISOString()}.`,
  duplicate: 'Duplicate ID: it was already processed earlier in the list.',
  notPublished: 'Only published photos can be reported.',
  notDeleted: (state: ImageStatus) => `The image is ${state}; there is nothing to restore.`,
}
