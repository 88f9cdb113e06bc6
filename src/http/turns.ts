// Work that comes in thousands at once, a little at a time, so that requests get their turn between.

/** @returns what takes on a piece of work, to be done in its turn; `maxAtOnce` of them make one turn. */
export function createTurns(maxAtOnce: number): (work: () => void) => void {
  const waiting: (() => void)[] = []

  function takeTurn(): void {
    for (const work of waiting.splice(0, maxAtOnce)) work()
    if (waiting.length > 0) setImmediate(takeTurn)
  }

  return (work) => {
    if (waiting.push(work) === 1) setImmediate(takeTurn)
  }
}
