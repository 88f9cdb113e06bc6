// What a test replaces so that goldens never drift: the clock and the source of ids.
import { randomBytes } from 'node:crypto'

export interface System {
  /** The present moment, in milliseconds since 1970-01-01 UTC. */
  now(): number
  /**
   * A new id: 1 … 2^53−1, drawn evenly. Pending images are viewable by id, so an id must not be guessable
   * (contract C4); whoever inserts it does so by `drawFree`.
   */
  readonly newId: () => number
}

/** The real clock and cryptographic randomness. */
export const realSystem: System = {
  now: () => Date.now(),
  newId: () => {
    for (;;) {
      const id = Number(randomBytes(8).readBigUInt64BE() >> 11n)
      if (id > 0) return id
    }
  },
}

const maxDraws = 5

/**
 * Draws at random until nobody has what was drawn. A clash is as good as impossible, and costs one more draw.
 * @param take tells whether it was free, and is taken now.
 */
export async function drawFree<T>(
  what: string,
  draw: () => T,
  take: (drawn: T) => Promise<boolean>,
): Promise<T> {
  for (let draws = 0; draws < maxDraws; draws += 1) {
    const drawn = draw()
    if (await take(drawn)) return drawn
  }
  throw new Error(`no free ${what} in ${maxDraws} attempts`)
}
