// How long a job pauses between two steps, so that requests hardly notice it.
import { performance, type EventLoopUtilization } from 'node:perf_hooks'

const minRestMs = 5
/** On a fully busy server: the job gets a tenth of the time. */
const maxTimes = 9

/** As `performance.eventLoopUtilization`. */
export type Utilization = (now?: EventLoopUtilization, since?: EventLoopUtilization) => EventLoopUtilization

/**
 * @returns a function that says how many milliseconds to pause after a step of this duration: the same on an idle
 * server, and more the busier it has been since the last pause.
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
