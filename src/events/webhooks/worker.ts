// The background job of webhooks: every second, fans out new events and starts due attempts.
import type { Db } from '../../database/database.ts'
import { findReadOnly } from '../../database/read-only.ts'
import type { Job, Jobs } from '../../jobs/runner.ts'
import type { Delivering } from './deliver.ts'
import type { FanOut } from './fan-out.ts'
import { readPosition } from './webhook-table.ts'

const everyMs = 1_000
/** Frequent writes, on this node or another, wake it at most this often. */
const wakeMs = 25

export interface WorkerDependencies {
  readonly db: Db
  readonly jobs: Jobs
  readonly fanOut: FanOut
  readonly delivering: Delivering
}

export function createWorker({ db, jobs, fanOut, delivering }: WorkerDependencies) {
  /** Without webhooks, one look at one row. */
  const hasWebhooks = async (): Promise<boolean> => (await readPosition(db)) !== undefined

  async function fanOutAll(afterEach: () => Promise<unknown>): Promise<void> {
    while (await fanOut()) {
      await afterEach()
      await new Promise((resolve) => setImmediate(resolve)) // other requests get their turn
      if (job.signal.aborted) return
    }
  }

  const job: Job = jobs.add({
    name: 'webhooks',
    everyMs,
    writes: true,
    run: async ({ signal }) => {
      if (!(await hasWebhooks())) return
      const beginDue = async () => signal.aborted || (await delivering.beginDue(job.wake))
      // Before the fan-out, which may fail, and after each step of it: it does not end while events keep arriving.
      await beginDue()
      await fanOutAll(beginDue)
    },
  })

  let waking: NodeJS.Timeout | undefined

  return {
    /** Runs soon, if it was started. */
    wake: (): void => {
      waking ??= setTimeout(() => {
        waking = undefined
        job.wake()
      }, wakeMs).unref()
    },

    /** Looks now and every second. */
    start: job.start,

    /** Does everything that is due now and waits for its end: for tests, which control the clock. */
    workAll: async (): Promise<void> => {
      let begun = 1
      while (begun > 0 && !job.signal.aborted && (await hasWebhooks()) && !(await findReadOnly(db))) {
        await fanOutAll(async () => undefined)
        begun = await delivering.beginDue(() => undefined)
        await delivering.settle()
      }
    },

    /** Waits for the attempts under way, which take a few seconds at most. */
    close: async (): Promise<void> => {
      clearTimeout(waking)
      await job.close()
      await delivering.settle()
    },
  }
}

export type Worker = ReturnType<typeof createWorker>
