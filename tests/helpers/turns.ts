// A deterministic scheduler: a seeded random generator picks which waiting actor runs next, so that races are
// reproducible.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Numbers from 0 (inclusive) to 1 (exclusive), determined by the seed (mulberry32). */
export function createDie(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export interface Turns {
  /** Waits until this actor is scheduled. */
  turn(): Promise<void>
  /** Runs `work` exclusively. It may have to wait to be scheduled again before it continues. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Runs all actors to the end, one step at a time. */
  run(actors: readonly (() => Promise<void>)[]): Promise<void>
}

/** Outside `run`, nothing waits. */
export function createTurns(die: () => number): Turns {
  const waiting: (() => void)[] = []
  let atWork: Promise<unknown> | undefined
  let isRunning = false

  async function turn(): Promise<void> {
    if (isRunning) await new Promise<void>((resolve) => waiting.push(resolve))
  }

  return {
    turn,

    alone: async (work) => {
      await turn()
      const working = work()
      atWork = working
      const result = await working
      if (die() < 0.5) await turn()
      return result
    },

    run: async (actors) => {
      isRunning = true
      const over = new AbortController()
      const ends = Promise.all(
        actors.map(async (act) => {
          await turn()
          await act()
        }),
      ).finally(() => over.abort())
      while (!over.signal.aborted) {
        waiting.splice(Math.floor(die() * waiting.length), 1)[0]?.()
        await nextTurn()
        while (atWork) {
          await atWork.catch(() => undefined) // the actor reports its own failure
          atWork = undefined
          await nextTurn()
        }
      }
      isRunning = false
      await ends
    },
  }
}
