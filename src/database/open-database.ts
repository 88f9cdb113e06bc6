// Opens the database, by the engine that the settings name.
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { DatabasePlace } from '../settings/database-settings.ts'
import type { StorageFaults } from '../storage/storage-faults.ts'
import type { Database } from './database.ts'
import { openSqlite } from './sqlite/sqlite.ts'

/** A database that a restore is still working on. The file is renamed in the end, so that there is never half of one. */
export const restoringFileOf = (databaseFile: string): string => `${databaseFile}.restoring`

/**
 * Opens the database, creating it if needed; `migrate` brings the schema up to date.
 * @throws Error of one sentence if an unfinished restore is found here, or the engine is not suitable.
 */
export async function openDatabase(place: DatabasePlace, faults?: StorageFaults): Promise<Database> {
  if (place.engine === 'postgres') {
    // Loaded only now: most installations never need it.
    const { openPostgres } = await import('./postgres/postgres.ts')
    return openPostgres(place)
  }
  const restoring = restoringFileOf(place.file)
  if (existsSync(restoring)) {
    throw new Error(
      `A restore into ${path.dirname(restoring)} is in progress or was interrupted: run "waymark restore" again, or delete ${path.basename(restoring)} to abandon it.`,
    )
  }
  return openSqlite(place.file, faults)
}
