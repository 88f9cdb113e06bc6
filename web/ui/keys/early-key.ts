// A shortcut key that was pressed before the app was there: the last one is done once its shortcut exists. Only on pages that
// came whole from the server, where the reader saw what the key is about: never on the review desk, where it would decide on
// a photo that nobody has seen.
import { nameOf, type Shortcut, type Shortcuts } from './shortcut-registry.ts'

declare global {
  /** Kept by src/site/assets/before-paint.js. */
  var waymarkKey: { last: KeyboardEvent | undefined; readonly end: () => void } | undefined
}

/** Later it would surprise. */
const maxMs = 10_000

/** To be called once keys are heard. @param take finds what a key is to do. @returns ends the waiting. */
export function doEarlyKey(
  registry: Shortcuts,
  take: (event: KeyboardEvent) => Shortcut | undefined,
): () => void {
  const { waymarkKey: kept } = globalThis
  kept?.end()
  const event = kept?.last
  if (kept) kept.last = undefined
  const isWhole = document.querySelector('#waymark-state') !== null
  const leftMs = event === undefined ? 0 : event.timeStamp + maxMs - performance.now()
  if (event === undefined || !isWhole || leftMs <= 0 || nameOf(event) === '') return () => undefined

  const { pathname } = location
  const end = (): void => {
    forget()
    clearTimeout(timer)
    window.removeEventListener('keydown', end, true)
    window.removeEventListener('pointerdown', end, true)
  }
  const attempt = (): void => {
    if (location.pathname !== pathname) return end()
    const shortcut = take(event)
    if (shortcut === undefined) return
    end()
    shortcut.run(event)
  }
  // After another key or click, the shortcut is no longer expected.
  window.addEventListener('keydown', end, true)
  window.addEventListener('pointerdown', end, true)
  const timer = setTimeout(end, leftMs)
  const forget = registry.subscribe(() => queueMicrotask(attempt))
  queueMicrotask(attempt)
  return end
}
