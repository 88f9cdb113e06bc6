// Counts requests in windows of one length: a bucket's window begins with its first request and ends by itself.

interface Window {
  count: number
  /** By performance.now(), which no change of the clock moves. */
  readonly endsAt: number
}

export interface Counted {
  readonly isWithin: boolean
  /** How many more the window allows. */
  readonly left: number
  /** Until the window ends, at least 1. */
  readonly secondsLeft: number
}

/** @param points how many requests a window allows. */
export function createRateWindows(points: number, seconds: number) {
  /** In the order in which they end, as all are equally long. */
  const windows = new Map<string, Window>()
  const lengthMs = seconds * 1_000

  function forgetEnded(now: number): void {
    for (const [bucket, { endsAt }] of windows) {
      if (endsAt > now) return
      windows.delete(bucket)
    }
  }

  function windowOf(bucket: string, now: number): Window {
    const known = windows.get(bucket)
    if (known !== undefined && known.endsAt > now) return known
    forgetEnded(now)
    const begun = { count: 0, endsAt: now + lengthMs }
    windows.set(bucket, begun)
    return begun
  }

  return {
    /** Counts a request, also one that is over the limit. */
    count: (bucket: string): Counted => {
      const now = performance.now()
      const window = windowOf(bucket, now)
      window.count += 1
      const secondsLeft = Math.max(1, Math.ceil((window.endsAt - now) / 1_000))
      return { isWithin: window.count <= points, left: Math.max(0, points - window.count), secondsLeft }
    },

    /** Takes back what was counted last for this bucket. */
    takeBack: (bucket: string): void => {
      const window = windows.get(bucket)
      if (window !== undefined) window.count -= 1
    },

    /** Buckets that are remembered. */
    size: (): number => windows.size,
  }
}
