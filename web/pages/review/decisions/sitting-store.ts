// The sitting while the app is open: it outlives the page, so that a look at the gallery loses no undo and no note.
import { useSyncExternalStore } from 'react'
import { newSitting, type Sitting, type Texts } from './sitting.ts'

let sitting = newSitting
let accountId: number | undefined
const listeners = new Set<() => void>()

/** Words that are typed and not saved yet, by imageID: a form that was left opens with them again. */
export const unsavedTexts = new Map<number, Texts>()

export const sittingNow = (): Sitting => sitting

export function changeSitting(change: (before: Sitting) => Sitting): void {
  const next = change(sitting)
  if (next === sitting) return
  sitting = next
  for (const listener of listeners) listener()
}

/** Whoever signs in on the same page sits down anew. */
export function sitDown(account: number): void {
  if (accountId !== undefined && accountId !== account) {
    // Numbers go on: what is on its way still has those of before.
    changeSitting(({ nextId }) => ({ ...newSitting, nextId }))
    unsavedTexts.clear()
  }
  accountId = account
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useSitting = (): Sitting => useSyncExternalStore(subscribe, sittingNow)
