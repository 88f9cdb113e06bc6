// The visitor's own API key: in sessionStorage of this tab, and nowhere else.
import { useSyncExternalStore } from 'react'

const name = 'waymark.docs.api-key'
const listeners = new Set<() => void>()
/** Where the browser keeps nothing, until the page is left. */
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
    // Some browsers refuse in private windows: it holds for this page.
  }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useOwnKey = (): string => useSyncExternalStore(subscribe, read)
