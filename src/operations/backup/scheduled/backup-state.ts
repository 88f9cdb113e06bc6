// What is noted about scheduled backups, so that it survives a restart and every node knows it: a row of the database.
import { randomBytes } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Db } from '../../../database/database.ts'
import { findFact, noteFact, noteFactOnce } from '../../../database/installation-facts.ts'
import { findReadOnly } from '../../../database/read-only.ts'
import { nextBackupAfter } from '../../../settings/backup-settings.ts'

const stateSchema = Type.Object({
  /** When a server first saw the schedule. */
  since: Type.Number(),
  success: Type.Optional(
    Type.Object({
      startedAt: Type.Number(),
      endedAt: Type.Number(),
      /** Where it is. */
      file: Type.String(),
      bytes: Type.Number(),
      images: Type.Number(),
      /** One sentence about older backups that could not be deleted. */
      undeleted: Type.Optional(Type.String()),
    }),
  ),
  /** The last failure, until the next success. */
  failure: Type.Optional(
    Type.Object({
      at: Type.Number(),
      /** One sentence for people. */
      message: Type.String(),
      inRow: Type.Number(),
      /** Nothing is tried before. */
      retryAt: Type.Number(),
      /** Name of the backup that was written, but lacks photos. */
      incomplete: Type.Optional(Type.String()),
    }),
  ),
})

export type BackupState = Static<typeof stateSchema>

const check = Compile(stateSchema)

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** undefined where no server has seen a schedule yet. */
export async function readBackupState(db: Db): Promise<BackupState | undefined> {
  const state = parse((await findFact(db, 'backup')) ?? '')
  return check.Check(state) ? state : undefined
}

/** Writes nothing where the installation is read-only: its rows may be moving elsewhere. */
export async function noteBackupState(db: Db, state: BackupState, at: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (await findReadOnly(tx)) return
    await noteFact(tx, 'backup', JSON.stringify(state), at)
  })
}

/** In the names of its backups, so that those of another installation in the same place are nobody's to delete. */
export const backupIdOf = (db: Db, at: number): Promise<string> =>
  noteFactOnce(db, 'backup-id', randomBytes(4).toString('hex'), at)

export interface BackupTimes {
  readonly expression: string
  readonly timeZone: string
}

/** Clocks of servers may differ by so much; a time further ahead was noted by a clock that was wrong. */
const clocksDifferMs = 300_000

/** The time from which on a backup is due. */
export function dueAtOf({ since, success }: BackupState, times: BackupTimes, now: number): number {
  const last = success?.startedAt ?? since
  return last > now + clocksDifferMs ? now : nextBackupAfter(times.expression, times.timeZone, last)
}

export function isBackupDue(state: BackupState, times: BackupTimes, now: number): boolean {
  const { failure } = state
  // A failure that lies ahead was noted by a clock that was wrong.
  const isWaiting = failure !== undefined && now >= failure.at && now < failure.retryAt
  return !isWaiting && dueAtOf(state, times, now) <= now
}

/** A backup may take its time, and be tried again; the alert WaymarkBackupLate has the same limit. */
const lateMs = 3 * 3_600_000

export const isBackupLate = (dueAt: number, now: number): boolean => dueAt + lateMs < now

const firstRetryMs = 600_000
const lastRetryMs = 6 * 3_600_000

/** Whatever fails for long is tried less and less often: each try may read all photos. */
export const retryAfter = (inRow: number): number => Math.min(firstRetryMs * 2 ** (inRow - 1), lastRetryMs)
