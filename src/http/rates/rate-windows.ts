// Counts what requests cost in windows of one length: a bucket's window begins with its first request and ends by itself.

interface Window {
  count: number
  /** By performance.now(), which no change of the clock moves. */
  endsAt: number
}

export interface Counted {
  readonly isWithin: boolean
  /** How many more the window allows. */
  readonly left: number
  /** Until the window ends, at least 1. */
  readonly secondsLeft: number
}

/** @param points how much a window allows; a request costs 1, and more where it takes much work. */
export function createRateWindows(points: number, seconds: number) {
  /** Nearly in the order in which they end, as all are equally long; what others counted may move an end. */
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

  function countedIn({ count, endsAt }: Window, now: number): Counted {
    const secondsLeft = Math.max(1, Math.ceil((endsAt - now) / 1_000))
    return { isWithin: count <= points, left: Math.max(0, points - count), secondsLeft }
  }

  return {
    /** Counts a request, also one that is over the limit. */
    count: (bucket: string): Counted => {
      const now = performance.now()
      const window = windowOf(bucket, now)
      window.count += 1
      return countedIn(window, now)
    },

    /**
     * Counts what a request costs beyond the 1 that it was counted with; where the limit is passed already, nothing.
     * The last one may pass it: what costs more than a whole window allows is then still possible, alone.
     */
    countMore: (bucket: string, cost: number): Counted => {
      const now = performance.now()
      const window = windowOf(bucket, now)
      if (window.count > points) return countedIn(window, now)
      window.count += cost
      return { ...countedIn(window, now), isWithin: true }
    },

    /** What is counted, without counting. */
    look: (bucket: string): Counted => {
      const now = performance.now()
      return countedIn(windowOf(bucket, now), now)
    },

    /** Takes over what was counted elsewhere too. Nobody has more time than a window is long. */
    learn: (bucket: string, { count, endsInMs }: { count: number; endsInMs: number }): void => {
      const now = performance.now()
      const window = windowOf(bucket, now)
      window.count = count
      window.endsAt = now + Math.min(Math.max(endsInMs, 0), lengthMs)
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
