// The visitor's API key: only in this tab's sessionStorage.
import { useSyncExternalStore } from 'react'

const name = 'waymark.docs.api-key'
const listeners = new Set<() => void>()
/** If the browser stores nothing, until the page is left. */
let kept = ''

function read(): string {
  try {
    return sessionStorage.getItem(name) ?? kept
  } catch {
    return kept
  }
}

export function keepKey(key: string): void {
  kept = key
  try {
    if (key === '') sessionStorage.removeItem(name)
    else sessionStorage.setItem(name, key)
  } catch {
    // Some browsers refuse in private windows: then it lasts until the page is left.
  }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useOwnKey = (): string => useSyncExternalStore(subscribe, read)
