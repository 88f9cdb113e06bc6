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

const waiting: (() => void)[] = []

function giveTurn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setTimeout(giveTurn, 0)
}

/** One turn at a time, whoever works: eight in a row would be one long one for everybody else. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setTimeout(giveTurn, 0)
  })
}

/** For work that waits for others between its steps: lets everything else have its turn once a few milliseconds are over. */
export function createTurn(): { readonly endIfDue: () => Promise<void> } {
  let turn = performance.now()
  return {
    endIfDue: async () => {
      if (performance.now() - turn < turnMs) return
      await nextTurn()
      turn = performance.now()
    },
  }
}

/** Goes through the steps, and lets everything else have its turn whenever a few milliseconds are over. */
export async function inTurns<T>(steps: Iterator<undefined, T>): Promise<T> {
  let turn = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() - turn < turnMs) continue
    await nextTurn()
    turn = performance.now()
  }
}
