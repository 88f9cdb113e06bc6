// Replays clicks on buttons that were not interactive yet. A page from the server is hydrated in steps: the app first, and
// later the parts of the page whose chunks are still loading.
declare global {
  /** Collected by src/site/assets/before-paint.js until the app listens. */
  var waymarkPressed: ReadonlySet<HTMLElement> | undefined
}

const buttons = 'button:not([type=submit]), [role=button]'
const againAfterMs = 50
/** Maximum time for a part of the page to load; after that a replay would surprise the user. */
const maxMs = 30_000

const nameOf = (button: Element): string | null =>
  button.getAttribute('name') ?? button.getAttribute('aria-label') ?? button.textContent

/** The button itself, or the one that replaced it when the page was rendered again. */
function presentOf(button: HTMLElement, root: Element): HTMLElement | undefined {
  if (button.isConnected) return button
  return [...root.querySelectorAll<HTMLElement>(buttons)].find((other) => nameOf(other) === nameOf(button))
}

/** To be called as soon as React listens to the root. */
export function hearPressed(root: Element): void {
  const { pathname } = location
  /** Until when to retry each button. */
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
      waiting.set(present, until) // until it has been handled
      present.click()
    }
    if (waiting.size > 0) schedule()
  }

  function schedule(): void {
    timer ??= setTimeout(pressAgain, againAfterMs)
  }

  function wait(button: HTMLElement): void {
    // Repeated clicks because nothing happened count once.
    if (!waiting.has(button)) waiting.set(button, performance.now() + maxMs)
    schedule()
  }

  root.addEventListener(
    'click',
    ({ target, cancelBubble }) => {
      const button = target instanceof Element ? target.closest<HTMLElement>(buttons) : null
      if (button === null) return
      // React's own listener on the root ran before this one, and stops events for parts that are not hydrated yet.
      if (cancelBubble) wait(button)
      else waiting.delete(button)
    },
    true,
  )
  dispatchEvent(new Event('waymark:listening'))
  for (const button of globalThis.waymarkPressed ?? []) wait(button)
}
