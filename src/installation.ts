// The open stores of an installation, used by the server and every command (contract D).
import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { stagingFolder } from './settings/blob-settings.ts'
import { requireBlobsArrived } from './storage/arrival.ts'
import { openBlobs } from './storage/blob-store.ts'
import type { Blobs } from './storage/port.ts'
import { wrongSetting, type Config } from './settings/config.ts'
import type { DatabasePlace } from './settings/database-settings.ts'
import type { Database } from './database/database.ts'
import { openDatabase } from './database/open-database.ts'
import { takeFileLock, type FileLock } from './database/sqlite/file-lock.ts'
import { migrate } from './database/migrate.ts'
import { syncFolder } from './storage/durable-folders.ts'
import { createStorageFaults, type StorageFaults } from './storage/storage-faults.ts'
import { realSystem, type System } from './system.ts'

export interface Installation {
  readonly config: Config
  readonly database: Database
  readonly blobs: Blobs
  readonly system: System
  /** Reports a lost write, after which nothing may be acknowledged. */
  readonly faults: StorageFaults
  close(): Promise<void>
}

/** @throws RangeError naming DATA_DIR. One level first: a recursive mkdir of Node never ends below /proc. */
async function makeDataFolder(folder: string): Promise<void> {
  try {
    const isDeep = !existsSync(path.dirname(folder))
    await mkdir(folder, { mode: 0o700, recursive: isDeep })
    await syncFolder(path.dirname(folder))
  } catch (error) {
    if ((await stat(folder).catch(() => undefined))?.isDirectory()) return
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw wrongSetting(`DATA_DIR ${folder} is not a folder and cannot be created (${code}).`, error)
  }
}

/**
 * Takes the exclusive locks of a server: on the database and on the photo folder. Two servers would delete each other's
 * uploads in progress. The locks end with the process, however it ends.
 * @throws Error of one sentence if another process holds them.
 */
export async function lockForServing({ dataDir, databasePlace, blobPlace }: Config): Promise<FileLock> {
  await makeDataFolder(dataDir)
  const held: FileLock[] = []
  const release = (): void => held.forEach((lock) => lock.release())
  const files = {
    ...(databasePlace.engine === 'sqlite' ? { DATABASE_URL: `${databasePlace.file}.server` } : {}),
    // Many servers may share a bucket, but not the folder of uploads in progress.
    ...(blobPlace.store === 'files'
      ? { BLOB_URL: path.join(blobPlace.folder, 'server') }
      : { DATA_DIR: `${stagingFolder(dataDir)}.server` }),
  }
  for (const [variable, file] of Object.entries(files)) {
    const lock = takeFileLock(file)
    if (lock === undefined) {
      release()
      const sentence = `Another Waymark server is using the same ${variable}, in ${path.dirname(file)}: stop it, or choose another DATA_DIR.`
      throw Object.assign(new Error(sentence), { failureCode: 'server-running' })
    }
    held.push(lock)
  }
  return { release }
}

const placeOf = ({ databasePlace, databaseConnections }: Config): DatabasePlace =>
  databasePlace.engine === 'postgres' ? { ...databasePlace, connections: databaseConnections } : databasePlace

/** Nodes on one database use its clock: one that is wrong by minutes would end what others have just begun. */
async function systemOn({ clock }: Database): Promise<System> {
  if (clock === undefined) return realSystem
  await clock.start()
  return { ...realSystem, now: clock.now }
}

/** Opens database and blob store, creating them if needed, and migrates the schema. */
export async function openInstallation(config: Config, ownSystem?: System): Promise<Installation> {
  const faults = createStorageFaults()
  // A database elsewhere comes first: where its address is wrong, nothing is made here. One in a file needs the folder.
  const isFile = config.databasePlace.engine === 'sqlite'
  if (isFile) await makeDataFolder(config.dataDir)
  const database = await openDatabase(placeOf(config), faults)
  try {
    if (!isFile) await makeDataFolder(config.dataDir)
    await migrate(database, { mayBeNewer: true })
    const blobs = await openBlobs(config, faults)
    const close = async (): Promise<void> => {
      await blobs.close()
      await database.close()
    }
    await requireBlobsArrived(blobs)
    const system = ownSystem ?? (await systemOn(database))
    return { config, database, blobs, system, faults, close }
  } catch (error) {
    await database.close()
    throw error
  }
}
