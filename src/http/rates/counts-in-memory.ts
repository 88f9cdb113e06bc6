// Counts of one process, in windows that expire independently; each node also uses it when several share a database.
import type { SharedCounts } from './shared-rates.ts'

/** A flood of invented buckets must not fill the memory: beyond this the oldest windows are forgotten. */
const maxWindows = 100_000

interface Window {
  count: number
  readonly endsAt: number
}

/** @param now milliseconds on a clock that only goes forward. */
export function createCountsInMemory(now: () => number = () => performance.now()): SharedCounts {
  const windows = new Map<string, Window>()

  function makeRoom(at: number): void {
    if (windows.size < maxWindows) return
    for (const [key, { endsAt }] of windows) if (endsAt <= at) windows.delete(key)
    for (const key of windows.keys()) {
      if (windows.size < maxWindows) return
      windows.delete(key)
    }
  }

  function windowOf(key: string, lengthMs: number, at: number): Window {
    const known = windows.get(key)
    if (known !== undefined && known.endsAt > at) return known
    windows.delete(key)
    makeRoom(at)
    const begun = { count: 0, endsAt: at + lengthMs }
    windows.set(key, begun)
    return begun
  }

  return {
    add: async (increments) => {
      const at = now()
      return increments.map(({ policy, bucket, count, lengthMs }) => {
        const window = windowOf(`${policy} ${bucket}`, lengthMs, at)
        window.count += count
        return { policy, bucket, count: window.count, endsInMs: window.endsAt - at }
      })
    },
  }
}
