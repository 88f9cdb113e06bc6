// The review session while the app is open: it outlives the page, so that visiting the gallery loses no undo and no
// note.
import { useSyncExternalStore } from 'react'
import { newReviewSession, type ReviewSession, type Texts } from './review-session.ts'

let reviewSession = newReviewSession
let accountId: number | undefined
const listeners = new Set<() => void>()

/** Unsaved texts by imageID: a form that is opened again still has them. */
export const unsavedTexts = new Map<number, Texts>()

export const currentReviewSession = (): ReviewSession => reviewSession

export function changeReviewSession(change: (before: ReviewSession) => ReviewSession): void {
  const next = change(reviewSession)
  if (next === reviewSession) return
  reviewSession = next
  for (const listener of listeners) listener()
}

/** Another user on the same page starts a new session. */
export function sitDown(account: number): void {
  if (accountId !== undefined && accountId !== account) {
    // Numbers continue, because requests in progress still have earlier ones.
    changeReviewSession(({ nextId }) => ({ ...newReviewSession, nextId }))
    unsavedTexts.clear()
  }
  accountId = account
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useReviewSession = (): ReviewSession => useSyncExternalStore(subscribe, currentReviewSession)
