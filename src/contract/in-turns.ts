// Long work in short turns, so that nobody else waits for the whole of it: for a server's loop and a browser's page alike.

/** How long one turn lasts, a step longer at most. */
const turnMs = 8

/** Goes through all the steps at once. */
export function atOnce<T>(steps: Iterator<undefined, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Goes through the steps, and lets everything else have its turn whenever a few milliseconds are over. */
export async function inTurns<T>(steps: Iterator<undefined, T>): Promise<T> {
  let turn = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() - turn < turnMs) continue
    await new Promise((resolve) => {
      setTimeout(resolve, 0)
    })
    turn = performance.now()
  }
}
