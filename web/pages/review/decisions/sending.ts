// Requests in progress, and whether there is a connection.
import { reviewStrings as strings } from '../../../strings/review.ts'
import type { Toast } from '../../../ui/notices/toasts.tsx'
import { changeReviewSession, currentReviewSession } from './review-session-store.ts'
import { record, type Action, type Entry } from './review-session.ts'

/** Decisions by the id of their entry, so that an undo waits for its decision; true once it has arrived. */
export const sending = new Map<number, Promise<boolean>>()

/** Adds to the undo stack. */
export function enter(action: Action): Entry {
  const { reviewSession, entry } = record(currentReviewSession(), action, Date.now())
  changeReviewSession(() => reviewSession)
  return entry
}

/** @returns whether there is a connection; shows a message if not. */
export function requireOnline(toast: (shown: Toast) => void): boolean {
  if (!navigator.onLine) toast({ key: 'review-refused', tone: 'bad', message: strings.offline })
  return navigator.onLine
}
