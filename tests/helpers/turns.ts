// Takes turns: of everything that waits, a seeded die picks what goes next, so that a race can be run again.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Numbers from 0 to below 1, the same ones for the same seed (mulberry32). */
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
  /** Waits for its turn. */
  turn(): Promise<void>
  /** Waits for its turn, works while nobody else gets one, and may have to wait again before it goes on. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Runs all at once, turn by turn, to the end. */
  run(actors: readonly (() => Promise<void>)[]): Promise<void>
}

/** Without `run` under way nobody waits. */
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
          await atWork.catch(() => undefined) // its failure is the actor's
          atWork = undefined
          await nextTurn()
        }
      }
      isRunning = false
      await ends
    },
  }
}
