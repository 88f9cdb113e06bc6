// Long work in short turns, so that nobody else waits for the whole of it: for a server's loop and a browser's page alike.

/** How long one turn lasts, a step longer at most. */
const defaultTurnMs = 8

/** Goes through all the steps at once. */
export function atOnce<T>(steps: Iterator<undefined, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Of the whole loop, of which there is one: whoever works cannot know who else does. */
const waiting: (() => void)[] = []

function giveTurn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setTimeout(giveTurn, 0)
}

/** One turn at a time, whoever works: eight in a row would be one long one for everybody else. */
export function yieldTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setTimeout(giveTurn, 0)
  })
}

/** For one piece of work: the time counts on from one part of it to the next. */
export function createYielder(turnMs = defaultTurnMs) {
  let turn = performance.now()
  const isDue = (): boolean => performance.now() - turn >= turnMs

  async function yieldNow(): Promise<void> {
    await yieldTurn()
    turn = performance.now()
  }

  return {
    /** Lets everything else have its turn. */
    yieldNow,

    /** The same, once a few milliseconds are over. */
    yieldIfDue: async (): Promise<void> => {
      if (isDue()) await yieldNow()
    },

    /** Goes through the steps, and yields between them whenever it is due. */
    through: async <Value, Result>(
      steps: Iterator<Value | undefined, Result>,
      onValue: (value: Value) => void = () => undefined,
    ): Promise<Result> => {
      for (;;) {
        const step = steps.next()
        if (step.done === true) return step.value
        if (step.value !== undefined) onValue(step.value)
        if (isDue()) await yieldNow()
      }
    },
  }
}

export type Yielder = ReturnType<typeof createYielder>

/** Goes through the steps, and lets everything else have its turn whenever a few milliseconds are over. */
export const runYielding = <T>(steps: Iterator<undefined, T>): Promise<T> => createYielder().through(steps)
