// One scheduled backup, from the check for room to the deletion of old ones. Runs in a process of its own (backup-process.ts).
import path from 'node:path'
import type { Config } from '../../../settings/config.ts'
import type { Database } from '../../../database/database.ts'
import { openDatabase } from '../../../database/open-database.ts'
import { sumStoredBytes } from '../../../images/storage/content-table.ts'
import { openBlobs } from '../../../storage/blob-store.ts'
import { readDisk } from '../../../storage/disk-space.ts'
import { createBackup } from '../backup.ts'
import { failBackup } from '../failures.ts'
import { backupNameOf, readBackupName, surplusOf } from './backup-names.ts'
import { openBackupTarget, type BackupTarget } from './backup-target.ts'
import { verifyBackup } from './verify-backup.ts'

export interface BackupTask {
  readonly config: Pick<Config, 'databasePlace' | 'dataDir' | 'secretFile' | 'blobPlace'> & {
    readonly backupPlace: NonNullable<Config['backupPlace']>
    readonly backupKeep: number
  }
  /** Of the installation. */
  readonly id: string
  readonly version: string
  /** In milliseconds: nodes go by the clock of their database. */
  readonly now: number
  /** Name of an earlier backup that lacks photos, which this one replaces. */
  readonly incomplete: string | undefined
}

export interface BackupResult {
  readonly name: string
  /** Where it is, for people. */
  readonly file: string
  readonly bytes: number
  readonly images: number
  /** Originals that it lacks; then nothing was deleted for it. */
  readonly missing: number
  readonly deleted: readonly string[]
  /** Why older backups are still there that were to be deleted: one sentence. The backup itself is good. */
  readonly undeleted?: string
}

export interface BackupConditions {
  readonly signal: AbortSignal
  readonly rest: () => Promise<void>
}

const megabyte = 1_000_000
const megabytes = (bytes: number): string => `${Math.ceil(bytes / megabyte).toLocaleString('en')} MB`
/** For what a zip has besides its files, and what is uploaded meanwhile. */
const spareBytes = 64 * megabyte

async function requireRoom(
  target: BackupTarget,
  { config }: BackupTask,
  sizes: { readonly photos: number; readonly database: number },
): Promise<void> {
  const isFile = config.databasePlace.engine === 'sqlite'
  const work =
    config.databasePlace.engine === 'sqlite' ? path.dirname(config.databasePlace.file) : config.dataDir
  const ofWork = { place: work, disk: await readDisk(work), bytes: sizes.database * (isFile ? 1 : 2) }
  const disk = await target.disk()
  const needs = [
    ofWork,
    ...(disk ? [{ place: target.name, disk, bytes: sizes.photos + sizes.database + spareBytes }] : []),
  ]
  for (const {
    place,
    disk: { device, freeBytes },
  } of needs) {
    const bytes = needs
      .filter((need) => need.disk.device === device)
      .reduce((sum, need) => sum + need.bytes, 0)
    if (freeBytes < bytes)
      throw failBackup(
        'no-space',
        `The disk of ${place} has ${megabytes(freeBytes)} free, but a backup needs ${megabytes(bytes)}: free up space, for example by deleting old backups, and lower BACKUP_KEEP.`,
      )
  }
}

async function sizesOf(database: Database): Promise<{ photos: number; database: number }> {
  const { main, wal } = await database.size()
  return { photos: await sumStoredBytes(database.db), database: main + wal }
}

async function deleteOld(
  target: BackupTarget,
  { config, incomplete, id }: BackupTask,
  made: string,
): Promise<Pick<BackupResult, 'deleted' | 'undeleted'>> {
  const names = await target.list()
  const surplus = surplusOf(names, made, config.backupKeep)
  const isOurs = incomplete !== undefined && readBackupName(incomplete)?.id === id && incomplete !== made
  const old = isOurs && names.includes(incomplete) ? [...new Set([...surplus, incomplete])] : surplus
  const deleted: string[] = []
  let fault: { readonly name: string; readonly reason: string } | undefined
  for (const name of old) {
    try {
      await target.remove(name)
      deleted.push(name)
    } catch (error) {
      // Such as a bucket whose objects are locked: no reason to make the backup again.
      fault ??= { name, reason: error instanceof Error ? error.message : 'unknown error' }
    }
  }
  if (fault === undefined) return { deleted }
  const count = old.length - deleted.length
  const undeleted = `${count} older ${count === 1 ? 'backup' : 'backups'} could not be deleted, such as ${target.name}/${fault.name} (${fault.reason.replace(/\.$/, '')}).`
  return { deleted, undeleted }
}

/** @throws what keeps it from being made or read again; then nothing of it is there, and nothing was deleted. */
export async function runScheduledBackup(
  task: BackupTask,
  { signal, rest }: BackupConditions,
): Promise<BackupResult> {
  const { config, id, version, now } = task
  await using opened = new AsyncDisposableStack()
  const target = opened.adopt(await openBackupTarget(config.backupPlace), (each) => each.close())
  const database = opened.adopt(await openDatabase(config.databasePlace), (each) => each.close())
  const blobs = opened.adopt(await openBlobs(config), (each) => each.close())
  const isOurs = (name: string): boolean => readBackupName(name)?.id === id
  await target.removeUnfinished(isOurs)
  const sizes = await sizesOf(database)
  await requireRoom(target, task, sizes)
  await blobs.probe()
  const name = backupNameOf(id, now)
  const file = `${target.name}/${name}`
  const backup = createBackup({ config, database, blobs, now: () => now, version })
  const report = await target.write(name, sizes.photos + sizes.database, (sink) =>
    backup.run({ sink, withSecret: true, signal, rest }),
  )
  const { manifest, bytes, problems } = report
  try {
    const zip = await target.open(name)
    try {
      await verifyBackup(zip, { file, written: manifest, photosToRead: target.photosToRead, signal, rest })
    } finally {
      zip.close()
    }
  } catch (error) {
    await target.remove(name).catch(() => undefined)
    throw error
  }
  const made = { name, file, bytes, images: manifest.images, missing: problems.length }
  if (problems.length === 0) return { ...made, ...(await deleteOld(target, task, name)) }
  // Older backups may hold what this one lacks; only the one before that lacked something goes.
  const { incomplete } = task
  if (incomplete !== undefined && incomplete !== name && isOurs(incomplete)) await target.remove(incomplete)
  return { ...made, deleted: [] }
}
