// How long a job rests between two pieces of its work, so that those who ask hardly notice it.
import { performance, type EventLoopUtilization } from 'node:perf_hooks'

const minRestMs = 5
/** On a server that has not a moment left: a tenth of the time is the job's. */
const maxTimes = 9

/** As `performance.eventLoopUtilization`. */
export type Utilization = (now?: EventLoopUtilization, since?: EventLoopUtilization) => EventLoopUtilization

/**
 * @returns what says how many milliseconds to rest after work that took so many: as many on an idle server, and the more
 *   the busier it was since the rest before.
 */
export function createRest(
  utilization: Utilization = (now, since) => performance.eventLoopUtilization(now, since),
): (tookMs: number) => number {
  let before = utilization()
  return (tookMs) => {
    const now = utilization()
    const { utilization: share } = utilization(now, before)
    before = now
    return Math.max(minRestMs, tookMs * (1 + (maxTimes - 1) * share))
  }
}
