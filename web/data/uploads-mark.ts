// A note of this browser that photos wait to be sent, so that no page loads the uploads for nothing.
import { useSyncExternalStore } from 'react'

const key = 'waymark.uploads.left'
const changed = 'waymark-uploads'

let isLeftHere = false

export function markUploads(isLeft: boolean): void {
  if (isLeftHere === isLeft && hasUploads() === isLeft) return
  isLeftHere = isLeft
  try {
    if (isLeft) localStorage.setItem(key, '1')
    else localStorage.removeItem(key)
  } catch {
    // Without storage it holds for this page.
  }
  window.dispatchEvent(new Event(changed))
}

function hasUploads(): boolean {
  try {
    return isLeftHere || localStorage.getItem(key) !== null
  } catch {
    return isLeftHere
  }
}

function subscribe(listener: () => void): () => void {
  window.addEventListener(changed, listener)
  window.addEventListener('storage', listener)
  return () => {
    window.removeEventListener(changed, listener)
    window.removeEventListener('storage', listener)
  }
}

/** Whether photos wait to be sent, here or in another tab. */
export const useHasUploads = (): boolean => useSyncExternalStore(subscribe, hasUploads, () => false)
