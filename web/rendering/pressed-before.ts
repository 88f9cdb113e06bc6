// What was pressed before anything heard it is pressed once it is heard. A page of the server becomes alive bit by bit: the
// app comes first, and parts of the page whose chunks are still on the way come later.
declare global {
  /** Kept by src/site/assets/before-paint.js until the app listens. */
  var waymarkPressed: ReadonlySet<HTMLElement> | undefined
}

const buttons = 'button:not([type=submit]), [role=button]'
const againAfterMs = 50
/** A part of the page may take this long to come; after that nobody expects it any more. */
const maxMs = 30_000

const nameOf = (button: Element): string | null =>
  button.getAttribute('name') ?? button.getAttribute('aria-label') ?? button.textContent

/** The button itself, or the one that took its place where the page was drawn anew. */
function presentOf(button: HTMLElement, root: Element): HTMLElement | undefined {
  if (button.isConnected) return button
  return [...root.querySelectorAll<HTMLElement>(buttons)].find((other) => nameOf(other) === nameOf(button))
}

/** To be called at the moment from which React listens to the root. */
export function hearPressed(root: Element): void {
  const { pathname } = location
  /** Each until when it is tried. */
  const waiting = new Map<HTMLElement, number>()
  let timer: ReturnType<typeof setTimeout> | undefined

  function pressAgain(): void {
    timer = undefined
    for (const [button, until] of new Map(waiting)) {
      const present = presentOf(button, root)
      const isOver = performance.now() > until || location.pathname !== pathname
      if (present === undefined && !isOver) continue
      waiting.delete(button)
      if (present === undefined || isOver || present.matches(':disabled')) continue
      waiting.set(present, until) // until it is heard
      present.click()
    }
    if (waiting.size > 0) schedule()
  }

  function schedule(): void {
    timer ??= setTimeout(pressAgain, againAfterMs)
  }

  function wait(button: HTMLElement): void {
    // Whoever presses it again because nothing happened means it once.
    if (!waiting.has(button)) waiting.set(button, performance.now() + maxMs)
    schedule()
  }

  root.addEventListener(
    'click',
    ({ target, cancelBubble }) => {
      const button = target instanceof Element ? target.closest<HTMLElement>(buttons) : null
      if (button === null) return
      // React's own listener on the root came before this one, and stops what is meant for a part that is not alive.
      if (cancelBubble) wait(button)
      else waiting.delete(button)
    },
    true,
  )
  dispatchEvent(new Event('waymark:listening'))
  for (const button of globalThis.waymarkPressed ?? []) wait(button)
}
