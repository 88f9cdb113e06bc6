// `waymark drill`: restores a backup into a separate folder, checks everything there, and deletes it.
import * as fs from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findFact } from '../src/database/installation-facts.ts'
import { openDatabase } from '../src/database/open-database.ts'
import { takeFileLock } from '../src/database/sqlite/file-lock.ts'
import { createIntegrity } from '../src/images/storage/integrity.ts'
import { lockForServing, openInstallation } from '../src/installation.ts'
import { createRestore, type RestoreReport } from '../src/operations/backup/restore.ts'
import { readBackupName } from '../src/operations/backup/scheduled/backup-names.ts'
import { openBackupTarget } from '../src/operations/backup/scheduled/backup-target.ts'
import { findSecretFault } from '../src/operations/backup/secret-file.ts'
import { checkHistory } from '../src/review/history-check.ts'
import type { Config } from '../src/settings/config.ts'
import { openBlobs } from '../src/storage/blob-store.ts'
import { readDisk } from '../src/storage/disk-space.ts'
import { fail } from './failures.ts'
import { readSettings } from './installation.ts'
import type { PhotosDone } from './long-work.ts'
import { sized } from './output.ts'

/**
 * The secret that the data needs: `included` in the backup, and it matches; `elsewhere`: not included, but
 * SECRET_FILE has it; `missing`: in neither; `none`: no server had used the data yet.
 */
export type DrilledSecret = 'included' | 'elsewhere' | 'missing' | 'none'

export interface DrillOptions {
  /** A file, or `latest` of BACKUP_TO. */
  readonly file: string
  /** Where to restore to; this folder is not deleted. Without it, a temporary folder is used. */
  readonly into: string | undefined
  readonly toDatabase: string | undefined
  readonly signal: AbortSignal
  readonly onProgress: (progress: PhotosDone) => void
}

export interface Drilled {
  /** The backup, as text for people. */
  readonly file: string
  readonly report: RestoreReport
  readonly secret: DrilledSecret
  readonly historyRows: number
  /** One sentence each. */
  readonly problems: readonly string[]
}

/** The ID in the names of this installation's backups; undefined if there is none, or the database is lost. */
async function ownId({ databasePlace }: Config): Promise<string | undefined> {
  if (databasePlace.engine === 'sqlite' && !existsSync(databasePlace.file)) return undefined
  try {
    const database = await openDatabase(databasePlace)
    try {
      return await findFact(database.db, 'backup-id')
    } finally {
      await database.close()
    }
  } catch {
    return undefined // a drill may have to show that only the backups are left
  }
}

/** If several installations share the place, another's newest backup proves nothing about this one. */
async function newestIn(config: Config) {
  const { backupPlace } = config
  if (backupPlace === undefined)
    throw fail('usage', 'latest is the newest backup in BACKUP_TO, which is not set: give a file.')
  const id = await ownId(config)
  const target = await openBackupTarget(backupPlace)
  try {
    const found = (await target.list()).map(readBackupName).filter((name) => name !== undefined)
    const own = found.filter((name) => id === undefined || name.id === id)
    const newest = own.toSorted((one, other) => other.at - one.at)[0]
    if (newest !== undefined) return { target, name: newest.name }
    const whose = found.length === 0 ? '' : ' of this installation'
    throw fail('not-there', `${target.name} contains no scheduled backup${whose}.`)
  } catch (error) {
    target.close()
    throw error
  }
}

async function bringFile(config: Config, { file, signal }: DrillOptions, folder: string) {
  if (file !== 'latest') return { file, copy: undefined, shown: file }
  const { target, name } = await newestIn(config)
  const copy = path.join(folder, scratch.copy)
  try {
    await fs.mkdir(copy, { mode: 0o700 })
    return { file: await target.bring(name, copy, signal), copy, shown: `${target.name}/${name}` }
  } finally {
    target.close()
  }
}

async function requireRoom(file: string, folder: string): Promise<void> {
  const { size } = await fs.stat(file)
  const { freeBytes } = await readDisk(folder)
  if (freeBytes >= size) return
  throw fail(
    'no-space',
    `The disk of ${folder} has ${sized(freeBytes)} free, but the backup has ${sized(size)}: choose another disk with --into.`,
  )
}

/** Settings that use only the scratch folder, so that no part of the installation is touched. */
const scratchSettings = (folder: string, databaseUrl: string): Config =>
  readSettings({
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    BLOB_URL: '',
    SECRET_FILE: '',
    BACKUP_SCHEDULE: 'off',
    BACKUP_TO: '',
    OFFLOAD: 'off',
  })

async function restoreInto(config: Config, file: string, options: DrillOptions): Promise<RestoreReport> {
  const { signal, onProgress } = options
  const lock = await lockForServing(config)
  await using opened = new AsyncDisposableStack()
  try {
    const blobs = opened.adopt(await openBlobs(config), (each) => each.close())
    const { databasePlace } = config
    const database =
      databasePlace.engine === 'sqlite'
        ? undefined
        : opened.adopt(await openDatabase(databasePlace), (each) => each.close())
    // If the backup has a secret, it must match. A backup without one is checked anyway.
    return await createRestore({ config, database, blobs }).run({
      file,
      withoutSecret: true,
      signal,
      onProgress,
    })
  } finally {
    lock.release()
  }
}

async function checkRestored(
  settings: Config,
  report: RestoreReport,
  { own, signal }: { readonly own: Config; readonly signal: AbortSignal },
): Promise<Pick<Drilled, 'secret' | 'historyRows' | 'problems'>> {
  const problems = report.problems.map(({ detail }) => detail)
  const installation = await openInstallation(settings)
  try {
    const { database, blobs } = installation
    const note = ({ severity, detail }: { readonly severity: string; readonly detail: string }): void => {
      if (severity === 'problem') problems.push(detail)
    }
    await createIntegrity({ database, blobs }).check('bytes', note, { signal })
    signal.throwIfAborted()
    const { rows, fault } = await checkHistory(database.db)
    if (fault) problems.push(fault.detail)
    const { hasSecret, secret: state } = report.manifest
    const file = hasSecret ? settings.secretFile : own.secretFile
    const secretFault = state === 'none' ? undefined : await findSecretFault(database.db, file)
    if (secretFault !== undefined)
      problems.push(
        hasSecret
          ? 'The secret in the backup is not the one that its database needs.'
          : `The backup has no secret, and ${secretFault.replace(/\.$/, '')}.`,
      )
    const fitting: DrilledSecret = hasSecret ? 'included' : state === 'none' ? 'none' : 'elsewhere'
    return { secret: secretFault === undefined ? fitting : 'missing', historyRows: rows, problems }
  } finally {
    await installation.close()
  }
}

/** Everything that a drill creates in the scratch folder. */
const scratch = { data: 'data', copy: 'copy' } as const

/** Cleans up after a drill that was killed. Other files are not ours to delete. */
async function clear(folder: string): Promise<void> {
  const names: readonly string[] = existsSync(folder) ? await fs.readdir(folder) : []
  const other = names.find((name) => name !== scratch.data && name !== scratch.copy)
  if (other !== undefined)
    throw fail(
      'already-there',
      `${path.join(folder, other)} is in the scratch folder of drills: move it elsewhere.`,
    )
  await fs.rm(folder, { recursive: true, force: true })
}

/** @param work gets an empty folder. */
async function inFolder<T>(
  { dataDir }: Config,
  into: string | undefined,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const own = path.join(existsSync(dataDir) ? dataDir : tmpdir(), 'drill')
  if (into !== undefined) {
    const folder = path.resolve(into)
    if (folder === own || folder.startsWith(`${own}${path.sep}`))
      throw fail('already-there', `${own} is the scratch folder of drills: choose another folder.`)
    await fs.mkdir(folder, { recursive: true, mode: 0o700 })
    if ((await fs.readdir(folder)).length > 0)
      throw fail('already-there', `${folder} is not empty: choose another folder.`)
    return work(folder)
  }
  const folder = own
  const lock = takeFileLock(`${folder}.lock`)
  if (lock === undefined) throw fail('backup-running', 'Another drill of this installation is running.')
  try {
    await clear(folder)
    await fs.mkdir(folder, { mode: 0o700 })
    try {
      return await work(folder)
    } finally {
      await clear(folder)
    }
  } finally {
    await fs.rm(`${folder}.lock`, { force: true })
    lock.release()
  }
}

async function inDatabase<T>(
  { databasePlace }: Config,
  url: string | undefined,
  work: (url: string) => Promise<T>,
): Promise<T> {
  if (url === undefined) return work('')
  if (!/^postgres(?:ql)?:/.test(url))
    throw fail('usage', '--to-database must be the URL of a PostgreSQL database.')
  const isOwn = (address: string): string => {
    const { host, pathname } = new URL(address)
    return `${host}${pathname}`
  }
  if (databasePlace.engine === 'postgres' && isOwn(databasePlace.url) === isOwn(url))
    throw fail('usage', '--to-database must not be the database of the installation.')
  // Loaded only now: most installations never need the PostgreSQL modules.
  const { withScratchSchema } = await import('../src/database/postgres/scratch-schema.ts')
  return withScratchSchema(url, work)
}

/** @throws if the backup cannot be restored. */
export function drill(options: DrillOptions): Promise<Drilled> {
  const own = readSettings()
  return inFolder(own, options.into, async (folder) => {
    const { file, copy, shown } = await bringFile(own, options, folder)
    await requireRoom(file, folder)
    const data = path.join(folder, scratch.data)
    return inDatabase(own, options.toDatabase, async (url) => {
      const settings = scratchSettings(data, url)
      const report = await restoreInto(settings, file, options)
      if (copy !== undefined) await fs.rm(copy, { recursive: true })
      const checked = await checkRestored(settings, report, { own, signal: options.signal })
      return { file: shown, report, ...checked }
    })
  })
}
