// The background work of webhooks: looks every second, fans out what is new, and begins what is due.
import type { Db } from '../../database/database.ts'
import { findReadOnly } from '../../database/read-only.ts'
import type { Delivering, DeliveringDependencies } from './deliver.ts'
import type { FanOut } from './fan-out.ts'
import { readPosition } from './webhook-table.ts'

const everyMs = 1_000

export interface WorkerDependencies {
  readonly db: Db
  readonly fanOut: FanOut
  readonly delivering: Delivering
  readonly log: DeliveringDependencies['log']
}

export function createWorker({ db, fanOut, delivering, log }: WorkerDependencies) {
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let round: Promise<void> | undefined
  /** Whether somebody woke it while a round was under way. */
  let isWoken = false

  /** Without webhooks, one look at one row. */
  async function mayWork(): Promise<boolean> {
    return !isClosed && (await readPosition(db)) !== undefined && !(await findReadOnly(db))
  }

  async function fanOutAll(): Promise<void> {
    while (await fanOut()) {
      await new Promise((resolve) => setImmediate(resolve)) // others have a turn
      if (isClosed) return
    }
  }

  async function workOnce(): Promise<void> {
    try {
      do {
        isWoken = false
        if (!(await mayWork())) return
        await fanOutAll()
        if (!isClosed) await delivering.beginDue(wake)
      } while (isWoken)
    } catch (error) {
      log.error({ err: error }, 'webhooks could not be processed')
    }
  }

  /** Looks now, where it was started. */
  function wake(): void {
    isWoken = true
    if (timer === undefined || isClosed) return
    round ??= workOnce().finally(() => {
      round = undefined
    })
  }

  return {
    wake,

    /** Looks now and every second. Keeps no process alive. */
    start: (): void => {
      timer ??= setInterval(wake, everyMs).unref()
      wake()
    },

    /** Does all that there is to do now, and waits for its end: for tests, which have a clock of their own. */
    workAll: async (): Promise<void> => {
      let begun = 1
      while (begun > 0 && (await mayWork())) {
        await fanOutAll()
        begun = await delivering.beginDue(() => undefined)
        await delivering.settle()
      }
    },

    /** Waits for the attempts under way, which take a few seconds at most. */
    close: async (): Promise<void> => {
      isClosed = true
      clearInterval(timer)
      await round
      await delivering.settle()
    },
  }
}

export type Worker = ReturnType<typeof createWorker>
