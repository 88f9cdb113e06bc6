// What is on its way to the server, and whether there is a way just now.
import { reviewStrings as strings } from '../../../strings/review.ts'
import type { Toast } from '../../../ui/notices/toasts.tsx'
import { changeReviewSession, currentReviewSession } from './review-session-store.ts'
import { record, type Action, type Entry } from './review-session.ts'

/** Decisions by the id of their entry, so that an undo waits for what it undoes; true once one has arrived. */
export const sending = new Map<number, Promise<boolean>>()

/** Onto the stack of the sitting. */
export function enter(action: Action): Entry {
  const { reviewSession, entry } = record(currentReviewSession(), action, Date.now())
  changeReviewSession(() => reviewSession)
  return entry
}

/** @returns whether there is a connection; says so where there is none. */
export function requireOnline(toast: (shown: Toast) => void): boolean {
  if (!navigator.onLine) toast({ key: 'review-refused', tone: 'bad', message: strings.offline })
  return navigator.onLine
}
