// Measures how long an action blocks a server, by sending other requests in the meantime.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from './bench.ts'

const perSecond = 1_000
/** Until requests are surely being sent. */
const beforeMs = 200
const minMs = 800
const maxTries = 5

export interface LoopBlock {
  readonly name: string
  /** Sent at a steady rate, and cheap. */
  readonly probe: Contender
  /**
   * Prepares the action.
   * @returns it.
   */
  readonly ready: () => Promise<() => Promise<void>>
  /** Called with the duration of each action. */
  readonly onDeed: (ms: number) => void
}

function paceOf({ name, pace }: Contender): NonNullable<Contender['pace']> {
  if (pace === undefined) throw new Error(`${name} cannot be asked at a steady rate.`)
  return pace
}

/** A contender whose latency is the longest wait of the probe during one action. */
export function createLoopBlock({ name, probe, ready, onDeed }: LoopBlock): Contender {
  const pace = paceOf(probe)
  let forMs = minMs

  /** undefined: the action took longer than the probing. */
  async function maxWaitMs(): Promise<number | undefined> {
    const action = await ready()
    let isOver = false
    // One continuous period: waits would be missed while connections are opened.
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

/** An absolute limit as a contender, so that the ratio is the share used. */
export const allowance = (name: string, ms: number): Contender => ({
  name,
  slice: () => Promise.resolve({ done: 1, cpuUs: Number.NaN, wallMs: ms, latenciesMs: [ms] }),
})
