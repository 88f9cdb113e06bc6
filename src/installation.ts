// The open stores of an installation: what the server and every command work on, running or not (contract D).
import { openBlobs } from './blobs/blob-store.ts'
import type { Blobs } from './blobs/port.ts'
import type { Config } from './config.ts'
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

/** Opens database and blobs, makes them where there are none, and brings the schema up to date. */
export async function openInstallation(config: Config, system: System = realSystem): Promise<Installation> {
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
