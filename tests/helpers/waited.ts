// How long a process was ready to run while others had the processor: a busy machine, not the process, took this time.
import { readFileSync } from 'node:fs'

/** Milliseconds of the main thread since it began; 0 if the system does not expose it. */
export function waitedMsOf(pid: number = process.pid): number {
  try {
    const [, waitedNs = '0'] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')
    return Number(waitedNs) / 1e6
  } catch {
    return 0
  }
}
