// Rate limits over all nodes: what is counted here is added to what the others count, twice a second.
import type { Jobs } from '../../jobs/runner.ts'

/** What every node adds to, and has the sums from. */
export interface SharedCounts {
  add(
    increments: readonly {
      readonly policy: string
      readonly bucket: string
      readonly count: number
      readonly lengthMs: number
    }[],
  ): Promise<
    readonly {
      readonly policy: string
      readonly bucket: string
      /** Of all nodes, in the window that runs now. */
      readonly count: number
      readonly endsInMs: number
    }[]
  >
}

export interface SharedRatesDependencies {
  readonly counts: SharedCounts
  /** Takes over what all nodes together have counted. */
  readonly learn: (policy: string, bucket: string, counted: { count: number; endsInMs: number }) => void
  /** While its runs fail each node counts for itself. */
  readonly jobs: Jobs
}

const everyMs = 500
/** In one statement; the rest waits for the next. */
const maxAtOnce = 2_000
/** While the database does not answer nothing more than this is remembered for it. */
const maxPending = 50_000

interface Pending {
  readonly policy: string
  readonly bucket: string
  readonly lengthMs: number
  count: number
}

/**
 * Between two looks each node allows what it knows to be left, so that all together may allow as many requests more as
 * come within half a second. Attempts to sign in are asked for one by one (`addNow`).
 */
export function createSharedRates({ counts, learn, jobs }: SharedRatesDependencies) {
  const pending = new Map<string, Pending>()

  async function add(increments: readonly Pending[]): Promise<void> {
    for (const { policy, bucket, count, endsInMs } of await counts.add(increments)) {
      // What was counted here meanwhile is not in the sum.
      const since = pending.get(`${policy} ${bucket}`)?.count ?? 0
      learn(policy, bucket, { count: count + since, endsInMs })
    }
  }

  const job = jobs.add({
    name: 'shared-rates',
    everyMs,
    run: async () => {
      const taken = [...pending.entries()].slice(0, maxAtOnce)
      for (const [key] of taken) pending.delete(key)
      const increments = taken.map(([, increment]) => increment).filter(({ count }) => count !== 0)
      if (taken.length > 0) await add(increments)
    },
  })
  job.start()

  return {
    /** Counts one more, or takes back one. */
    note: (policy: string, bucket: string, counted: { count: number; lengthMs: number }): void => {
      const key = `${policy} ${bucket}`
      const known = pending.get(key)
      if (known) known.count += counted.count
      else if (pending.size < maxPending) pending.set(key, { policy, bucket, ...counted })
    },

    /** Counts one more, and waits until it is known what all nodes have counted. @throws where that cannot be told. */
    addNow: (policy: string, bucket: string, lengthMs: number): Promise<void> =>
      add([{ policy, bucket, lengthMs, count: 1 }]),

    close: job.close,
  }
}
