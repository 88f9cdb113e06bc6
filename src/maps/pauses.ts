// Pauses in the making of a tile, so that nobody else waits for the whole of it, whatever it is made of.
import { nextTurn } from '../shared/in-turns.ts'

const turnMs = 6

/** For one tile: the time counts on from one part of the work to the next. */
export function createPauses() {
  let turn = performance.now()

  async function rest(): Promise<void> {
    await nextTurn()
    turn = performance.now()
  }

  const isDue = (): boolean => performance.now() - turn >= turnMs

  return {
    /** Lets everybody else have their turn. */
    rest,

    /** The same, once some milliseconds are over. */
    restIfDue: async (): Promise<void> => {
      if (isDue()) await rest()
    },

    /** Takes all the steps, with pauses. */
    through: async <Value, Result>(
      steps: Generator<Value | undefined, Result>,
      onValue: (value: Value) => void = () => undefined,
    ): Promise<Result> => {
      for (;;) {
        const step = steps.next()
        if (step.done === true) return step.value
        if (step.value !== undefined) onValue(step.value)
        if (isDue()) await rest()
      }
    },
  }
}

export type Pauses = ReturnType<typeof createPauses>
