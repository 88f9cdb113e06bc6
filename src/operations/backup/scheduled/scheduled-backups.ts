// Backups by BACKUP_SCHEDULE: a job that starts a process for each, and notes how it went.
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import type { Db } from '../../../database/database.ts'
import type { Lease } from '../../../database/leases.ts'
import { findNewerMigration } from '../../../database/migrate.ts'
import { findReadOnly } from '../../../database/read-only.ts'
import type { Job, Jobs } from '../../../jobs/runner.ts'
import type { Schedule } from '../../../jobs/schedule.ts'
import type { Config } from '../../../settings/config.ts'
import type { FromBackupProcess, ToBackupProcess } from './backup-process.ts'
import {
  backupIdOf,
  dueAtOf,
  isBackupDue,
  isBackupLate,
  noteBackupState,
  readBackupState,
  retryAfter,
  type BackupState,
} from './backup-state.ts'
import type { BackupResult, BackupTask } from './scheduled-run.ts'

export interface ScheduledBackupsDependencies {
  readonly config: Pick<
    Config,
    | 'databasePlace'
    | 'dataDir'
    | 'secretFile'
    | 'blobPlace'
    | 'backupSchedule'
    | 'backupPlace'
    | 'backupKeep'
    | 'siteTimeZone'
  >
  readonly db: Db
  readonly now: () => number
  readonly version: string
  readonly jobs: Jobs
  /** Of several nodes; undefined where this is the only one. */
  readonly lease: Lease | undefined
  readonly log: { info(facts: object, text: string): void; warn(facts: object, text: string): void }
}

const lookEveryMs = 30_000
const tellLoadEveryMs = 500
/** For its process to remove what it has begun to write. */
const stopMs = 8_000

const entry = new URL('./backup-process.ts', import.meta.url)

/** A failure that was told to us, with the word for the metrics. */
const failed = (message: string, code: string): Error => Object.assign(new Error(message), { code })

/** Tells the process how busy this one is, so that it rests meanwhile. @returns what stops that. */
function tellLoad(send: (message: ToBackupProcess) => void): () => void {
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    send({ kind: 'load', share: performance.eventLoopUtilization(now, before).utilization })
    before = now
  }, tellLoadEveryMs)
  return () => clearInterval(timer)
}

async function runInProcess(
  task: BackupTask,
  signal: AbortSignal,
): Promise<BackupResult & { readonly restedMs: number }> {
  const child: ChildProcess = fork(entry, {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  let outcome: FromBackupProcess | undefined
  child.on('message', (message: FromBackupProcess) => {
    outcome = message
  })
  const send = (message: ToBackupProcess): void => {
    if (child.connected) child.send(message, () => undefined) // one that is gone has told why, or says nothing more
  }
  const stop = (): void => {
    child.kill('SIGTERM')
    setTimeout(() => child.kill('SIGKILL'), stopMs).unref()
  }
  signal.addEventListener('abort', stop)
  const stopTelling = tellLoad(send)
  try {
    send({ kind: 'begin', task })
    if (signal.aborted) stop()
    const [code, killedBy] = (await once(child, 'exit')) as [number | null, string | null]
    if (outcome?.kind === 'done') return { ...outcome.result, restedMs: outcome.restedMs }
    if (outcome?.kind === 'failed') throw failed(outcome.message, outcome.code)
    throw failed(
      `The process of the backup ended unexpectedly (${killedBy ?? `exit code ${code}`}).`,
      'killed',
    )
  } finally {
    stopTelling()
    signal.removeEventListener('abort', stop)
  }
}

export interface ScheduledBackups {
  readonly job: Job
  /** For metrics and the admin's page. */
  status(): Promise<BackupStatus>
}

export interface BackupStatus extends Pick<BackupState, 'success' | 'failure'> {
  readonly dueAt: number
  readonly isLate: boolean
}

const sentenceOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'The backup failed for an unknown reason.'

/** @returns undefined where no backups are scheduled. */
export function createScheduledBackups(
  dependencies: ScheduledBackupsDependencies,
): ScheduledBackups | undefined {
  const { config, db, now, version, jobs, lease, log } = dependencies
  const { backupSchedule: expression, backupPlace, siteTimeZone: timeZone } = config
  if (expression === undefined || backupPlace === undefined) return undefined
  const times = { expression, timeZone }

  async function readState(): Promise<BackupState> {
    const found = await readBackupState(db)
    if (found) return found
    const state = { since: now() }
    await noteBackupState(db, state, now())
    return state
  }

  function taskAt(at: number, id: string, { failure }: BackupState): BackupTask {
    const { databasePlace, dataDir, secretFile, blobPlace, backupKeep } = config
    const places = { databasePlace, dataDir, secretFile, blobPlace }
    const task = { ...places, backupPlace: config.backupPlace ?? blobPlace, backupKeep }
    return { config: task, id, version, now: at, incomplete: failure?.incomplete }
  }

  async function noteFailure(
    state: BackupState,
    message: string,
    incomplete: string | undefined,
  ): Promise<void> {
    const at = now()
    const inRow = (state.failure?.inRow ?? 0) + 1
    // What is missing in the store is still missing in ten minutes: the next scheduled one is soon enough.
    const retryAt = incomplete === undefined ? at + retryAfter(inRow) : dueAtOf({ since: at }, times, at)
    const kept = incomplete ?? state.failure?.incomplete
    const failure = { at, message, inRow, retryAt, ...(kept === undefined ? {} : { incomplete: kept }) }
    await noteBackupState(db, { ...state, failure }, at)
  }

  /** For which due time it has been logged. */
  let left = 0

  /**
   * In a rolling upgrade: an older node cannot back up a newer schema, of which it does not know what was added. Newer
   * nodes make the backup then. If none has for hours, this node tries it, so that the reason is noted as a failure.
   */
  async function isLeftToNewer(state: BackupState): Promise<boolean> {
    const dueAt = dueAtOf(state, times, now())
    if (isBackupLate(dueAt, now())) return false
    const migration = await findNewerMigration(db)
    if (migration === undefined) return false
    if (left !== dueAt)
      log.warn(
        { migration },
        'a newer version of Waymark has changed the schema: the scheduled backup is left to its nodes',
      )
    left = dueAt
    return true
  }

  async function run(signal: AbortSignal): Promise<void> {
    const state = await readState()
    const startedAt = now()
    const id = await backupIdOf(db, startedAt)
    let result: Awaited<ReturnType<typeof runInProcess>>
    try {
      result = await runInProcess(taskAt(startedAt, id, state), signal)
    } catch (error) {
      if (signal.aborted) throw error
      if (await isLeftToNewer(state)) return // it was migrated during the backup
      await noteFailure(state, sentenceOf(error), undefined)
      throw error
    }
    const { name, file, bytes, images, missing, deleted, undeleted } = result
    if (missing > 0) {
      const message = `The backup ${file} lacks ${missing} originals that are missing or damaged in the store: run "waymark check --store".`
      await noteFailure(state, message, name)
      throw failed(message, 'incomplete')
    }
    const endedAt = now()
    const success = { startedAt, endedAt, file, bytes, images, ...(undeleted !== undefined && { undeleted }) }
    await noteBackupState(db, { since: state.since, success }, endedAt)
    const [seconds, rested] = [endedAt - startedAt, result.restedMs].map((each) => Math.round(each) / 1_000)
    log.info({ file, bytes, images, deleted, seconds, rested }, 'made a backup')
    if (undeleted !== undefined) log.warn({ file }, undeleted)
  }

  const schedule: Schedule = {
    isShared: true,
    isDue: async () => {
      if (await findReadOnly(db)) return false // nothing could be noted
      const state = await readState()
      return isBackupDue(state, times, now()) && !(await isLeftToNewer(state))
    },
    begin: () => undefined,
    done: () => undefined, // noted with the rest of what there is to say
  }

  const job = jobs.add({
    name: 'backup',
    everyMs: lookEveryMs,
    writes: true,
    schedule,
    ...(lease && { lease }),
    closeWithinMs: stopMs + 2_000,
    run: ({ signal }) => run(signal),
  })

  return {
    job,
    status: async () => {
      const state = (await readBackupState(db)) ?? { since: now() }
      const { success, failure } = state
      const dueAt = dueAtOf(state, times, now())
      const isLate = isBackupLate(dueAt, now())
      return { dueAt, isLate, ...(success && { success }), ...(failure && { failure }) }
    },
  }
}
