// Runs background jobs: each has a name and an interval, and runs once at a time.
import { setTimeout as pause } from 'node:timers/promises'
import type { Lease } from '../database/leases.ts'
import { singleFlight } from '../shared/single-flight.ts'
import type { Schedule } from './schedule.ts'

/** What a run is given. */
export interface JobRun {
  /** Aborted once the server stops: a long run ends at a place where the next one can continue. */
  readonly signal: AbortSignal
  /** Whether to continue: false once the server stops, is read-only, or has lost the lease. Renews the lease. */
  mayContinue(): Promise<boolean>
}

export interface JobOptions {
  /** In metrics, in the log and on the admin's page. */
  readonly name: string
  readonly everyMs: number
  /** The job changes data: it does not run while the installation is read-only. */
  readonly writes?: boolean
  /**
   * With several servers, the holder of this lease does the work. With a schedule it is taken before the run, otherwise
   * by `mayContinue`.
   */
  readonly lease?: Lease
  /** For jobs that are due less often than they are looked at. */
  readonly schedule?: Schedule
  /** How long a stop waits for the run under way; without it, until its end. */
  readonly closeWithinMs?: number
  readonly run: (run: JobRun) => Promise<void>
}

export interface JobStatus {
  readonly name: string
  readonly isRunning: boolean
  /** When the last run ended, in milliseconds since 1970 UTC; undefined for none since the start. */
  readonly lastEndedAt: number | undefined
  readonly lastDurationMs: number | undefined
  readonly failures: number
  /** The last run that failed, even if later ones succeeded. */
  readonly lastError: { readonly at: number; readonly what: string } | undefined
}

export interface Job {
  /** Aborted once the job is closed. */
  readonly signal: AbortSignal
  /** Runs now and at every interval from now on. Does not keep the process alive. */
  start(): void
  /** Runs as soon as possible, and once more if a run is under way. Does nothing before the start. */
  wake(): void
  /** Runs now, after the run under way, if the job is due here. @throws what the run throws. */
  runIfDue(): Promise<void>
  /** The same whether it is due or not; of several servers with a schedule, only if it is due. */
  run(): Promise<void>
  /** Ends the job, and waits for the run under way. */
  close(): Promise<void>
}

export interface JobsDependencies {
  readonly now: () => number
  readonly isReadOnly: () => Promise<boolean>
  readonly log: {
    error(facts: object, text: string): void
    info(facts: object, text: string): void
  }
}

const maxBackoffMs = 300_000
/** After four failures in a row a job waits 16 times its interval. */
const maxDoublings = 4

/** A short cause without secrets: the whole error is in the log. */
function wordFor(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** Waits for the end of the work, but no longer than that. */
async function within(maxMs: number | undefined, work: Promise<void> | undefined): Promise<void> {
  if (maxMs === undefined) return work
  const waited = new AbortController()
  const patience = pause(maxMs, undefined, { signal: waited.signal }).catch(() => undefined)
  await Promise.race([work, patience])
  waited.abort()
}

interface State {
  isRunning: boolean
  lastEndedAt: number | undefined
  lastDurationMs: number | undefined
  failures: number
  failuresInRow: number
  lastError: JobStatus['lastError']
}

function createJob(options: JobOptions, { now, isReadOnly, log }: JobsDependencies) {
  const { name, everyMs, writes = false, lease, schedule, closeWithinMs } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const state: State = {
    isRunning: false,
    lastEndedAt: undefined,
    lastDurationMs: undefined,
    failures: 0,
    failuresInRow: 0,
    lastError: undefined,
  }
  let timer: NodeJS.Timeout | undefined
  let current: Promise<void> | undefined
  let isWoken = false

  const mayRun = async (): Promise<boolean> => !signal.aborted && !(writes && (await isReadOnly()))
  const mayContinue = async (): Promise<boolean> =>
    (await mayRun()) && (lease === undefined || (await lease.hold()))

  function succeeded(): void {
    if (state.failuresInRow > 0) log.info({ job: name, failures: state.failuresInRow }, 'a job has recovered')
    state.failuresInRow = 0
  }

  function failed(error: unknown): void {
    if (signal.aborted) return
    // Only the first of several in a row: an outage is one event.
    if (state.failuresInRow === 0) log.error({ err: error, job: name }, 'a job failed')
    state.failures += 1
    state.failuresInRow += 1
    state.lastError = { at: now(), what: wordFor(error) }
  }

  async function work(): Promise<void> {
    const startedAt = performance.now()
    const stopRenewing = schedule && lease?.keepHeld()
    state.isRunning = true
    schedule?.begin()
    let isDone = false
    try {
      await options.run({ signal, mayContinue })
      isDone = true
    } finally {
      await stopRenewing?.()
      if (schedule && !isDone) lease?.abandon() // so that no server tries again at once
      state.isRunning = false
      state.lastEndedAt = now()
      state.lastDurationMs = performance.now() - startedAt
    }
  }

  /** @returns whether it ran. */
  async function attempt(isForced: boolean): Promise<boolean> {
    const isDue = async (): Promise<boolean> => isForced || !schedule || schedule.isDue()
    if (!(await mayRun()) || !(await isDue())) return false
    if (lease && schedule) {
      if (!(await lease.hold())) return false
      // Another server may have done it between the two.
      if (!(await isDue())) {
        await lease.drop()
        return false
      }
    }
    const begun = now()
    await work()
    await schedule?.done(begun)
    if (schedule) await lease?.drop()
    return true
  }

  /** After the current run: a caller that arrives during a run waits for it, and then for one more. */
  function next(isForced: boolean): Promise<void> {
    const before = current
    const run = (async () => {
      await before
      const hasRun = await attempt(isForced).catch((error: unknown) => {
        failed(error)
        throw error
      })
      if (hasRun) succeeded()
    })()
    const ended = run
      .catch(() => undefined) // reported, and thrown to the caller
      .finally(() => {
        if (current === ended) current = undefined
      })
    current = ended
    return run
  }

  async function runWoken(): Promise<void> {
    while (isWoken) {
      isWoken = false
      await next(false).catch(() => undefined)
    }
  }

  const runAllWoken = singleFlight(runWoken)
  function wake(): void {
    isWoken = true
    if (timer !== undefined && !signal.aborted) void runAllWoken()
  }

  function tick(): void {
    timer = setTimeout(tick, waitMs()).unref()
    if (current === undefined) wake()
  }
  const waitMs = (): number => {
    if (state.failuresInRow === 0) return everyMs
    return Math.max(
      everyMs,
      Math.min(maxBackoffMs, everyMs * 2 ** Math.min(maxDoublings, state.failuresInRow)),
    )
  }

  return {
    signal,
    start: (): void => {
      if (timer === undefined && !signal.aborted) tick()
    },
    wake,
    runIfDue: () => next(false),
    run: () => next(schedule?.isShared !== true),
    close: async (): Promise<void> => {
      stopping.abort()
      clearTimeout(timer)
      await within(closeWithinMs, current)
      await lease?.drop().catch(() => undefined) // it ends by itself
    },
    status: (): JobStatus => {
      const { failuresInRow: _, ...status } = state
      return { name, ...status }
    },
  }
}

export function createJobs(dependencies: JobsDependencies) {
  const jobs: ReturnType<typeof createJob>[] = []
  return {
    add: (options: JobOptions): Job => {
      const job = createJob(options, dependencies)
      jobs.push(job)
      return job
    },

    /** In the order in which they were added. */
    status: (): JobStatus[] => jobs.map((job) => job.status()),
  }
}

export type Jobs = ReturnType<typeof createJobs>
