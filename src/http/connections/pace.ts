// What comes in hundreds at once, begun a few milliseconds' worth at a time: between, everything else goes on.

/** So long some are begun before everybody else has a turn. */
const turnMs = 10

/** @returns what begins one, now or in a later turn of the event loop; in the order of the calls. */
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
