// The open stores of an installation: what the server and every command work on, running or not (contract D).
import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { openBlobs } from './blobs/blob-store.ts'
import type { Blobs } from './blobs/port.ts'
import { wrongSetting, type Config } from './config.ts'
import { openDatabase, type Database } from './database/database.ts'
import { migrate } from './database/migrate.ts'
import { realSystem, type System } from './system.ts'

export interface Installation {
  readonly config: Config
  readonly database: Database
  readonly blobs: Blobs
  readonly system: System
  close(): Promise<void>
}

/** @throws RangeError naming DATA_DIR. One level first: a recursive mkdir of Node never ends below /proc. */
async function makeDataFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700, recursive: !existsSync(path.dirname(folder)) })
  } catch (error) {
    if ((await stat(folder).catch(() => undefined))?.isDirectory()) return
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw wrongSetting(`DATA_DIR ${folder} is no folder and cannot be made (${code}).`, error)
  }
}

/** Opens database and blobs, makes them where there are none, and brings the schema up to date. */
export async function openInstallation(config: Config, system: System = realSystem): Promise<Installation> {
  await makeDataFolder(config.dataDir)
  const database = await openDatabase(config)
  try {
    await migrate(database)
    const blobs = await openBlobs(config)
    return { config, database, blobs, system, close: () => database.close() }
  } catch (error) {
    await database.close()
    throw error
  }
}
