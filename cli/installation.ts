// What every command works on: the settings of the environment and the stores that they name.
import { existsSync } from 'node:fs'
import { readConfigWith, type Config, type Environment } from '../src/settings/config.ts'
import { openBlobs } from '../src/storage/blob-store.ts'
import type { Blobs } from '../src/storage/port.ts'
import { restoringFileOf } from '../src/database/open-database.ts'
import { requireWritable } from '../src/database/read-only.ts'
import { openInstallation, type Installation } from '../src/installation.ts'
import { fail } from './failures.ts'

/** The settings, with others in the place of some; a wrong one is a wrong use of the command (contract D2). */
export function readSettings(others: Environment = {}): Config {
  try {
    return readConfigWith(others)
  } catch (error) {
    throw error instanceof RangeError ? fail('wrong-setting', error.message) : error
  }
}

/**
 * For whatever only reads, copies or takes away: a mistyped DATA_DIR must not look like an installation that is whole and
 * empty. Where a restore was interrupted, opening the database says so.
 */
export function requireDatabase({ databasePlace }: Config): void {
  if (databasePlace.engine !== 'sqlite') return // a database that is not there cannot be opened, and says so
  const databaseFile = databasePlace.file
  if (existsSync(databaseFile) || existsSync(restoringFileOf(databaseFile))) return
  throw fail('not-there', `There is no database at ${databaseFile}: check DATA_DIR and DATABASE_URL.`)
}

/** For whatever works on all photos: a wrong bucket or key is named here, and not met as a store that fails. */
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

/** Opens the installation, made where there is none, for as long as the work takes. */
export async function withInstallation<T>(work: (installation: Installation) => Promise<T>): Promise<T> {
  const installation = await openInstallation(readSettings())
  try {
    return await work(installation)
  } finally {
    await installation.close()
  }
}

/** The same for a command that makes no installation: refused where there is none. */
export async function withExistingInstallation<T>(
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  requireDatabase(readSettings())
  return withInstallation(work)
}

/** The same as the first for a command that changes something: refused while the installation is read-only. */
export function withWritableInstallation<T>(work: (installation: Installation) => Promise<T>): Promise<T> {
  return withInstallation(async (installation) => {
    await requireWritable(installation.database.db)
    return work(installation)
  })
}

/** The same, where there must be an installation already: what it changes cannot be in a new one. */
export async function withExistingWritable<T>(work: (installation: Installation) => Promise<T>): Promise<T> {
  requireDatabase(readSettings())
  return withWritableInstallation(work)
}
