// Starts requests that arrive in large numbers a few milliseconds' worth at a time, so that other work can run in
// between.

/** How long requests are started before others get their turn. */
const turnMs = 10

/** @returns a function that starts one, now or in a later turn of the event loop, in the order of the calls. */
export function createPace(): (begin: () => void) => void {
  let turnEnd: number | undefined
  let waiting: (() => void)[] = []

  function nextTurn(): void {
    turnEnd = undefined
    const late = waiting
    waiting = []
    for (const begin of late) pace(begin)
  }

  function pace(begin: () => void): void {
    const now = performance.now()
    if (turnEnd === undefined) {
      turnEnd = now + turnMs
      setImmediate(nextTurn)
    }
    if (now < turnEnd && waiting.length === 0) begin()
    else waiting.push(begin)
  }

  return pace
}
