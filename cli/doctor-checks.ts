// The checks of `waymark doctor`. They change nothing and create nothing.
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { loadSecret, readSecretFile } from '../src/auth/secret.ts'
import { requireSecret } from '../src/auth/oauth/signing-keys.ts'
import { folderOfUploads, nameOfPlace } from '../src/settings/blob-settings.ts'
import { openBlobs } from '../src/storage/blob-store.ts'
import { isCheckout } from '../src/settings/application.ts'
import { describeSettings, type Config } from '../src/settings/config.ts'
import { standardSettingsFile } from '../src/settings/settings-file.ts'
import type { Db } from '../src/database/database.ts'
import { describeUnknownFlag } from '../src/settings/heap-flag.ts'
import { openDatabase } from '../src/database/open-database.ts'
import { pendingMigrations, schemaOf } from '../src/database/migrate.ts'
import { megabyteBytes, readDisk } from '../src/storage/disk-space.ts'
import { Refusal } from '../src/errors.ts'
import { countUnread } from '../src/images/capture/unread-table.ts'
import { countStoredTwice } from '../src/images/storage/original-table.ts'
import { checkBackup } from './doctor-backup.ts'
import { checkConnections } from './doctor-connections.ts'
import { checkMap } from './doctor-map.ts'
import { checkLastStart, checkPublicUrl, checkWebApp, judgeUnit, readUnit } from './doctor-service.ts'
import { failure, good, warning, type Check, type Verdict } from './doctor-verdicts.ts'
import { failureOf } from './failures.ts'
import { envFileWords } from './settings-file.ts'

const oldestNode = 24

async function exists(file: string): Promise<boolean> {
  try {
    await fs.stat(file)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

function checkNode(): Verdict {
  const { node } = process.versions
  const isNewEnough = Number(node.split('.')[0]) >= oldestNode
  if (!isNewEnough) return failure(`Node is ${node}, but ${oldestNode} or newer is required.`)
  const unknownFlag = describeUnknownFlag()
  return unknownFlag === undefined ? good(`Node is ${node}.`) : warning(`Node is ${node}: ${unknownFlag}.`)
}

/** If the file or folder does not exist yet, the nearest existing parent must be writable. */
async function checkCanBeMade(file: string): Promise<Verdict> {
  let above = path.dirname(file)
  while (!(await exists(above))) above = path.dirname(above)
  await fs.access(above, fs.constants.W_OK)
  return good(`${file} does not exist yet; the first start creates it.`)
}

async function checkDataFolder({ dataDir }: Config): Promise<Verdict> {
  if (!(await exists(dataDir))) return checkCanBeMade(dataDir)
  // A real file, because permissions do not show a full or read-only disk.
  const draft = await fs.mkdtemp(path.join(dataDir, '.doctor-'))
  try {
    await fs.writeFile(path.join(draft, 'probe'), 'probe', { flush: true })
  } finally {
    await fs.rm(draft, { recursive: true, force: true })
  }
  return good(`${dataDir} is writable.`)
}

/** Older versions stored a photo twice: how many of those are left. */
async function storedTwiceNote(db: Db): Promise<string> {
  const count = await countStoredTwice(db)
  return count === 0 ? '' : ` Photos still stored twice: ${count}; a running server converts them.`
}

/** How many photos of older versions still lack the metadata about when and how they were taken. */
async function unreadNote(db: Db): Promise<string> {
  const count = await countUnread(db)
  return count === 0
    ? ''
    : ` Older photos whose time and direction are still to be read: ${count}; a running server reads them.`
}

async function checkDatabase(config: Config, same: string): Promise<Verdict> {
  const { databasePlace } = config
  if (databasePlace.engine === 'sqlite' && !(await exists(databasePlace.file)))
    return checkCanBeMade(databasePlace.file)
  const database = await openDatabase(databasePlace)
  try {
    const pending = await pendingMigrations(database)
    await database.db.transaction().execute(async () => undefined) // takes the write lock: is the database writable?
    return pending.length === 0
      ? good(
          `${database.where} opens, and its schema is up to date.${await storedTwiceNote(database.db)}${await unreadNote(database.db)}`,
        )
      : good(
          `${database.where} opens; the next start, or "waymark migrate${same}", applies ${pending.join(', ')}.`,
        )
  } finally {
    await database.close()
  }
}

async function* probe(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('probe')
}

/** Writes and removes a blob, since a readable bucket may refuse both. */
async function checkBucket(config: Config): Promise<Verdict> {
  const blobs = await openBlobs(config)
  const name = nameOfPlace(config.blobPlace)
  try {
    await blobs.probe()
    await blobs.put('doctor.probe', Buffer.from('probe'), 'remakeable')
    await blobs.remove('doctor.probe')
    return good(`${name} is readable and writable.`)
  } catch (error) {
    const fault = error instanceof Refusal && error.cause instanceof Error ? error.cause : error
    return failure(
      fault === error ? failureOf(error).message : `${name} is not writable: ${failureOf(fault).message}`,
    )
  } finally {
    await blobs.close()
  }
}

async function checkPhotoFolder(config: Config): Promise<Verdict> {
  const { blobPlace } = config
  if (blobPlace.store === 's3') return checkBucket(config)
  const { folder } = blobPlace
  if (!(await exists(folder))) return checkCanBeMade(folder)
  const blobs = await openBlobs(config)
  const staged = await blobs.receive(probe(), 100)
  await staged?.discard()
  return good(`${folder} is writable.`)
}

/** Never fails: the operator decides how much is enough, with DISK_FREE_WARNING_MB. */
async function checkDiskSpace(config: Config): Promise<Verdict> {
  const { databasePlace, diskLowMegabytes } = config
  const uploads = folderOfUploads(config)
  // The disk of a remote PostgreSQL is unknown here.
  const databaseFile = databasePlace.engine === 'sqlite' ? databasePlace.file : uploads
  const disks = await Promise.all([databaseFile, uploads].map(readDisk))
  const free = disks.map(({ freeBytes }) => Math.floor(freeBytes / megabyteBytes))
  const [database, photos] = free
  const isShared = disks[0]?.device === disks[1]?.device
  const what = isShared
    ? `The disk has ${database} MB free`
    : `The disk of the database has ${database} MB free, that of the photos ${photos} MB`
  if (diskLowMegabytes === 0)
    return good(`${what}; DISK_FREE_WARNING_MB is 0, so there is no low-space warning.`)
  return Math.min(...free) < diskLowMegabytes
    ? warning(
        `${what}, below DISK_FREE_WARNING_MB (${diskLowMegabytes} MB): free up space, or uploads will soon be refused.`,
      )
    : good(`${what}; DISK_FREE_WARNING_MB is ${diskLowMegabytes} MB.`)
}

/** Does the secret match the database? A database that was never served needs none. */
async function requireFittingSecret({ databasePlace, secretFile }: Config): Promise<void> {
  if (databasePlace.engine === 'sqlite' && !(await exists(databasePlace.file))) return
  const database = await openDatabase(databasePlace)
  try {
    if ((await schemaOf(database)) === undefined) return
    await requireSecret(database.db, await readSecretFile(secretFile), secretFile)
  } finally {
    await database.close()
  }
}

async function checkSecret(config: Config): Promise<Verdict> {
  const { secretFile } = config
  const isThere = await exists(secretFile)
  if (isThere) await loadSecret(secretFile) // read-only, since the file exists; throws with the reason if it is invalid
  await requireFittingSecret(config)
  if (!isThere) return checkCanBeMade(secretFile)
  return good(`${secretFile} exists and is readable only by its owner.`)
}

/** Single server only: with several nodes, each has its own folder and port. */
async function checkStart({ databasePlace }: Config): Promise<Verdict | undefined> {
  if (databasePlace.engine !== 'sqlite' || !(await exists(databasePlace.file))) return undefined
  const database = await openDatabase(databasePlace)
  try {
    // The next start migrates the database, and counts as the last start afterwards.
    return (await pendingMigrations(database)).length > 0 ? undefined : await checkLastStart(database.db)
  } finally {
    await database.close()
  }
}

async function checkUnit(settingsFile: string): Promise<Verdict | undefined> {
  const unit = isCheckout ? undefined : await readUnit()
  return unit === undefined ? undefined : judgeUnit(unit, { settingsFile, settings: describeSettings() })
}

/**
 * Every check that applies here, in order; a check that throws counts as failed.
 * @param settingsFile the file that the settings come from.
 */
export async function runChecks(config: Config, settingsFile = standardSettingsFile): Promise<Check[]> {
  const same = settingsFile === standardSettingsFile ? '' : envFileWords(settingsFile)
  const looks: Readonly<Record<string, () => Verdict | Promise<Verdict | undefined>>> = {
    node: checkNode,
    'data-folder': () => checkDataFolder(config),
    database: () => checkDatabase(config, same),
    ...(config.databasePlace.engine === 'postgres' && { connections: () => checkConnections(config) }),
    'photo-folder': () => checkPhotoFolder(config),
    'disk-space': () => checkDiskSpace(config),
    secret: () => checkSecret(config),
    'public-url': () => checkPublicUrl(config),
    'web-app': () => checkWebApp(config),
    'base-map': () => checkMap(config),
    'last-start': () => checkStart(config),
    unit: () => checkUnit(settingsFile),
    backup: () => checkBackup(config, same),
  }
  const checks: Check[] = []
  for (const [name, look] of Object.entries(looks)) {
    try {
      const verdict = await look()
      if (verdict !== undefined) checks.push({ name, ...verdict })
    } catch (error) {
      checks.push({ name, ...failure(failureOf(error).message) })
    }
  }
  return checks
}
