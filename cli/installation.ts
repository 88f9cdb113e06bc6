// What commands work on: the settings of the environment and the stores that they name.
import { existsSync } from 'node:fs'
import { readConfigWith, type Config, type Environment } from '../src/settings/config.ts'
import { openBlobs } from '../src/storage/blob-store.ts'
import type { Blobs } from '../src/storage/port.ts'
import { restoringFileOf } from '../src/database/open-database.ts'
import { requireWritable } from '../src/database/read-only.ts'
import { openInstallation, type Installation } from '../src/installation.ts'
import { fail } from './failures.ts'

/** The settings, with overrides; an invalid setting is a usage error (contract D2). */
export function readSettings(others: Environment = {}): Config {
  try {
    return readConfigWith(others)
  } catch (error) {
    throw error instanceof RangeError ? fail('wrong-setting', error.message) : error
  }
}

/**
 * For commands that only read, copy or delete: a mistyped DATA_DIR must not look like an intact but empty
 * installation. After an interrupted restore, opening the database reports that.
 */
export function requireDatabase({ databasePlace }: Config): void {
  if (databasePlace.engine !== 'sqlite') return // opening a missing database fails with its own message
  const databaseFile = databasePlace.file
  if (existsSync(databaseFile) || existsSync(restoringFileOf(databaseFile))) return
  throw fail('not-there', `There is no database at ${databaseFile}: check DATA_DIR and DATABASE_URL.`)
}

/** For commands that process all photos: a wrong bucket or key is reported here, not later as a storage failure. */
export async function openPhotos(config: Config): Promise<Blobs> {
  const blobs = await openBlobs(config)
  try {
    await blobs.probe()
    return blobs
  } catch (error) {
    await blobs.close()
    throw error
  }
}

/** Opens the installation for the duration of the work, and creates it if there is none. */
export async function withInstallation<T>(work: (installation: Installation) => Promise<T>): Promise<T> {
  const installation = await openInstallation(readSettings())
  try {
    return await work(installation)
  } finally {
    await installation.close()
  }
}

/** The same for commands that do not create an installation: fails if there is none. */
export async function withExistingInstallation<T>(
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  requireDatabase(readSettings())
  return withInstallation(work)
}

/** Like the first, for commands that make changes: refused while the installation is read-only. */
export function withWritableInstallation<T>(work: (installation: Installation) => Promise<T>): Promise<T> {
  return withInstallation(async (installation) => {
    await requireWritable(installation.database.db)
    return work(installation)
  })
}

/** The same, but the installation must already exist: what the command changes cannot be in a new one. */
export async function withExistingWritable<T>(work: (installation: Installation) => Promise<T>): Promise<T> {
  requireDatabase(readSettings())
  return withWritableInstallation(work)
}
