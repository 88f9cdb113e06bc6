// The process of a scheduled backup, which a server starts: copying the database would hold up requests in the server's own.
import { setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { getSystemErrorMessage } from 'node:util'
import { Refusal } from '../../../errors.ts'
import { failBackup } from '../failures.ts'
import { runScheduledBackup, type BackupResult, type BackupTask } from './scheduled-run.ts'

export type ToBackupProcess =
  | { readonly kind: 'begin'; readonly task: BackupTask }
  /** What part of its time the server was busy. */
  | { readonly kind: 'load'; readonly share: number }

export type FromBackupProcess =
  /** In milliseconds, how long it took and how much of that it rested. */
  | {
      readonly kind: 'done'
      readonly result: BackupResult
      readonly tookMs: number
      readonly restedMs: number
    }
  | { readonly kind: 'failed'; readonly message: string; readonly code: string }

const lowestPriority = 19
/** Work between two rests. */
const pieceMs = 50
/** On a server that has not a moment left, a tenth of the time is the backup's. */
const maxTimes = 9
const maxRestMs = 5_000

/** One sentence for people, and a word for the metrics. */
function tell(error: unknown): { message: string; code: string } {
  if (!(error instanceof Error)) return { message: 'The backup failed.', code: 'unknown' }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  if (error instanceof Refusal) {
    const cause =
      error.cause instanceof Error ? tell(error.cause) : { message: error.message, code: error.code }
    return cause
  }
  if ('failureCode' in error) return { message: error.message, code: String(error.failureCode) }
  if ('errno' in error && typeof error.errno === 'number' && 'syscall' in error) {
    const where = 'path' in error && typeof error.path === 'string' ? error.path : 'A file of the backup'
    return { message: `${where} cannot be used: ${getSystemErrorMessage(error.errno)}.`, code }
  }
  const [line = ''] = error.message.split('\n')
  return { message: `${line.trimEnd().replace(/\.$/, '')}.`, code }
}

async function say(message: FromBackupProcess): Promise<void> {
  await new Promise<void>((resolve) => {
    if (process.send) process.send(message, () => resolve())
    else resolve()
  })
}

let share = 0
let begunAt = performance.now()
let restedMs = 0

async function rest(): Promise<void> {
  const stoppedAt = performance.now()
  const tookMs = stoppedAt - begunAt
  if (tookMs < pieceMs) return
  await pause(Math.min(tookMs * maxTimes * share, maxRestMs))
  begunAt = performance.now()
  restedMs += begunAt - stoppedAt
}

const stopping = new AbortController()

async function run(task: BackupTask): Promise<void> {
  try {
    setPriority(lowestPriority)
  } catch {
    // A sandbox may forbid it: then the rests are all that lets requests go first.
  }
  const startedAt = performance.now()
  begunAt = startedAt
  try {
    const result = await runScheduledBackup(task, { signal: stopping.signal, rest })
    await say({ kind: 'done', result, tookMs: performance.now() - startedAt, restedMs })
  } catch (error) {
    await say({ kind: 'failed', ...tell(error) })
  }
  process.disconnect?.()
}

const stop = (): void => stopping.abort(failBackup('stopped', 'The server was stopped during the backup.'))
process.on('SIGTERM', stop)
process.on('SIGINT', () => undefined) // Ctrl+C reaches the whole group; the server decides
process.on('disconnect', stop) // the server is gone, however it went
process.on('message', (message: ToBackupProcess) => {
  if (message.kind === 'load') share = message.share
  else void run(message.task)
})
