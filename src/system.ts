// What a test replaces so that goldens never drift: the clock and the source of ids.
import { randomBytes } from 'node:crypto'

export interface System {
  /** The present moment, in milliseconds since 1970-01-01 UTC. */
  now(): number
  /**
   * A new id: 1 … 2^53−1, drawn evenly. Pending images are viewable by id, so an id must not be guessable
   * (contract C4); whoever inserts it retries on a clash.
   */
  newId(): number
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
