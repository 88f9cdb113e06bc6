// How long a server keeps everybody waiting while it does something: felt from outside, by asking for something else meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from './bench.ts'

const perSecond = 1_000
/** Until the asking has surely begun. */
const beforeMs = 200
const minMs = 800
const maxTries = 5

export interface LoopBlock {
  readonly name: string
  /** Asked at a steady rate, and quick to answer. */
  readonly probe: Contender
  /** Readies a deed. @returns the deed. */
  readonly ready: () => Promise<() => Promise<void>>
  /** Is told how long each deed took as a whole. */
  readonly onDeed: (ms: number) => void
}

function paceOf({ name, pace }: Contender): NonNullable<Contender['pace']> {
  if (pace === undefined) throw new Error(`${name} cannot be asked at a steady rate.`)
  return pace
}

/** A contender whose latency is the longest that the probe had to wait while one deed was done. */
export function createLoopBlock({ name, probe, ready, onDeed }: LoopBlock): Contender {
  const pace = paceOf(probe)
  let forMs = minMs

  /** undefined: the deed was not over when the asking was. */
  async function maxWaitMs(): Promise<number | undefined> {
    const action = await ready()
    let isOver = false
    // One stretch without a gap: what waits while connections are opened is not seen.
    const probing = pace(perSecond, beforeMs + forMs).then((waits) => ({ waits, isWhole: isOver }))
    await sleep(beforeMs)
    const begun = performance.now()
    await action()
    isOver = true
    const tookMs = performance.now() - begun
    onDeed(tookMs)
    const { waits, isWhole } = await probing
    forMs = Math.max(forMs, 3 * tookMs)
    return isWhole ? Math.max(...waits) : undefined
  }

  return {
    name,
    slice: async () => {
      const begun = performance.now()
      for (let left = maxTries; left > 0; left -= 1) {
        const longest = await maxWaitMs()
        const wallMs = performance.now() - begun
        if (longest !== undefined) return { done: 1, cpuUs: Number.NaN, wallMs, latenciesMs: [longest] }
      }
      throw new Error(`${name}: it was never over while it was watched.`)
    },
  }
}

/** What a goal allows in itself, as a contender: the ratio to it is the share that is used. */
export const allowance = (name: string, ms: number): Contender => ({
  name,
  slice: () => Promise.resolve({ done: 1, cpuUs: Number.NaN, wallMs: ms, latenciesMs: [ms] }),
})
