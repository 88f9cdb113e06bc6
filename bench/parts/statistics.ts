// Statistics of the benchmark: medians, ratios per round, bootstrap intervals, and verdicts on goals.
import type { Figure, Goal, Slice } from './bench.ts'

export function quantileOf(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((one, other) => one - other)
  if (sorted.length === 0) return Number.NaN
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)] ?? 0
  const above = sorted[Math.ceil(at)] ?? 0
  return below + (above - below) * (at - Math.floor(at))
}

export const median = (figures: readonly number[]): number => quantileOf(figures, 0.5)

/** @returns the figure of a slice: microseconds each, number per second, or milliseconds. */
export function figureOf(figure: Figure, { done, cpuUs, wallMs, latenciesMs = [] }: Slice): number {
  if (figure === 'cpu') return cpuUs / done
  if (figure === 'rate') return (done * 1_000) / wallMs
  return median(latenciesMs)
}

/** Pseudo-random numbers from 0 to 1, the same in every run (mulberry32). */
export function createChance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export interface Interval {
  readonly low: number
  readonly high: number
}

const resamples = 4_000
const seed = 20_260_514

/** 95 % bootstrap interval of the median. The same input gives the same interval. */
export function bootstrapInterval(ratios: readonly number[]): Interval {
  const chance = createChance(seed)
  const medians = Array.from({ length: resamples }, () =>
    median(ratios.map(() => ratios[Math.floor(chance() * ratios.length)] ?? 0)),
  )
  return { low: quantileOf(medians, 0.025), high: quantileOf(medians, 0.975) }
}

export type Verdict = 'met' | 'NOT MET' | 'INCONCLUSIVE' | 'not measured' | 'no verdict'

/** Fewer rounds are not conclusive. */
export const minRounds = 7

/** A goal is met or missed only if the whole interval is on one side of it. */
export function judge({ atMost, atLeast }: Goal, { low, high }: Interval, rounds: number): Verdict {
  if (rounds < minRounds || (atMost === undefined && atLeast === undefined)) return 'no verdict'
  if (atMost !== undefined && low > atMost) return 'NOT MET'
  if (atLeast !== undefined && high < atLeast) return 'NOT MET'
  const isMet = (atMost === undefined || high <= atMost) && (atLeast === undefined || low >= atLeast)
  return isMet ? 'met' : 'INCONCLUSIVE'
}

/** Whether the median reaches the stretch goal. */
export function reachesStretch({ stretch, atMost }: Goal, ratio: number): boolean {
  if (stretch === undefined) return false
  return atMost === undefined ? ratio >= stretch : ratio <= stretch
}
