// `waymark doctor`: checks whether scheduled backups can be written, and how the last ones ended.
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { existsSync } from 'node:fs'
import { openDatabase } from '../src/database/open-database.ts'
import {
  dueAtOf,
  isBackupLate,
  readBackupState,
  type BackupState,
} from '../src/operations/backup/scheduled/backup-state.ts'
import { openBackupTarget } from '../src/operations/backup/scheduled/backup-target.ts'
import type { Config } from '../src/settings/config.ts'
import { folderOfUploads } from '../src/settings/blob-settings.ts'
import { readDisk } from '../src/storage/disk-space.ts'
import { failure, good, warning, type Verdict } from './doctor-verdicts.ts'
import { formatTimestamp, sized } from './output.ts'

/** undefined if no server has seen the schedule yet. */
async function readState({ databasePlace }: Config): Promise<BackupState | undefined> {
  if (databasePlace.engine === 'sqlite' && !existsSync(databasePlace.file)) return undefined
  const database = await openDatabase(databasePlace)
  try {
    return await readBackupState(database.db)
  } catch {
    return undefined // another check reports database problems
  } finally {
    await database.close()
  }
}

/** Lists the backups, and writes a probe to a folder; a bucket is not written to. @returns what is not ideal. */
async function tryTarget(
  config: Config,
  place: NonNullable<Config['backupPlace']>,
): Promise<string | undefined> {
  const target = await openBackupTarget(place)
  try {
    await target.list()
    if (place.store !== 'files') return undefined
    const probe = await fs.mkdtemp(path.join(place.folder, '.doctor-'))
    await fs.rmdir(probe)
    const [to, photos] = await Promise.all([readDisk(place.folder), readDisk(folderOfUploads(config))])
    return to.device === photos.device
      ? `BACKUP_TO ${target.name} is on the same disk as the data: if that disk fails, both are lost.`
      : undefined
  } finally {
    target.close()
  }
}

function lastOf({ success, failure: failed }: BackupState): string {
  const last = success
    ? `The last backup was made at ${formatTimestamp(success.endedAt)}: ${success.file}, ${sized(success.bytes)}`
    : 'No backup has been made yet'
  return failed
    ? `${last}; the last attempt, at ${formatTimestamp(failed.at)}, failed: ${failed.message}`
    : [`${last}.`, success?.undeleted].filter(Boolean).join(' ')
}

/** @param same the words that name the settings file in a command. */
export async function checkBackup(config: Config, same: string): Promise<Verdict> {
  const { backupSchedule: expression, backupPlace: place, siteTimeZone: timeZone } = config
  if (expression === undefined || place === undefined)
    return good(
      `BACKUP_SCHEDULE is off: make backups with "waymark backup${same}", and test them with "waymark drill${same}".`,
    )
  const remark = await tryTarget(config, place)
  const state = await readState(config)
  if (state === undefined) return good('The first start of the server begins the schedule of backups.')
  const now = Date.now()
  const dueAt = dueAtOf(state, { expression, timeZone }, now)
  const last = lastOf(state)
  if (isBackupLate(dueAt, now))
    return failure(`A backup has been due since ${formatTimestamp(dueAt)}. ${last}`)
  if (state.failure) return failure(last)
  const next = `The next one is due at ${formatTimestamp(dueAt)}.`
  if (remark !== undefined) return warning(`${last} ${next} ${remark}`)
  return state.success?.undeleted === undefined ? good(`${last} ${next}`) : warning(`${last} ${next}`)
}
