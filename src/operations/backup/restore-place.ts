// Where the database of a backup is restored to: a file by a rename, another engine by one transaction. Until that last
// step there is a mark, so that no command or server takes it for an installation.
import { existsSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import {
  beginArrival,
  endArrival,
  findArrival,
  requireArrived,
  type Arrival,
} from '../../database/arrival.ts'
import { copyRows, findDataIn } from '../../database/copy-rows.ts'
import type { Database } from '../../database/database.ts'
import { restoringFileOf } from '../../database/open-database.ts'
import { layoutOf } from '../../database/layout.ts'
import { makingRowsAfter } from '../../database/made-rows.ts'
import { migrate } from '../../database/migrate.ts'
import { syncFolder } from '../../storage/durable-folders.ts'
import { failBackup } from './failures.ts'

export interface RestorePlace {
  /** The restored database as a SQLite file, while it is prepared. */
  readonly staged: string
  /** @returns whether a restore was interrupted here. @throws Error of one sentence where something else is. */
  requireFree(): Promise<boolean>
  /** Sets the mark, durably, before the first photo is written. */
  begin(): Promise<void>
  /** The one step that makes it an installation; the staged database is whole and closed. */
  publish(open: (file: string) => Promise<Database>): Promise<void>
  /** Is nothing of the installation there yet, so that a failure may take everything away? */
  isUnpublished(): Promise<boolean>
  /** Removes the mark. */
  forget(): Promise<void>
  /** Removes remains of an interrupted restore, and those of this one at the end. */
  removeStaged(): Promise<void>
}

async function syncFile(file: string): Promise<void> {
  const handle = await fs.open(file, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function removeDatabase(file: string): Promise<void> {
  for (const end of ['-wal', '-shm', '']) await fs.rm(`${file}${end}`, { force: true })
}

/** The staged file itself is the mark. */
export function createFilePlace(databaseFile: string): RestorePlace {
  const staged = restoringFileOf(databaseFile)

  function requireNoDatabase(): void {
    const found = [databaseFile, `${databaseFile}-wal`].find((file) => existsSync(file))
    if (found === undefined) return
    throw failBackup(
      'already-there',
      `${found} already exists: move it away, or restore into another DATA_DIR.`,
    )
  }

  return {
    staged,
    requireFree: async () => {
      requireNoDatabase()
      return existsSync(staged)
    },
    begin: () => syncFolder(path.dirname(staged)),
    publish: async () => {
      await syncFile(staged) // closing the database wrote to it
      requireNoDatabase()
      await fs.rename(staged, databaseFile)
      await syncFolder(path.dirname(databaseFile))
    },
    isUnpublished: async () => existsSync(staged),
    forget: () => removeDatabase(staged),
    removeStaged: () => removeDatabase(staged),
  }
}

const arrival: Arrival = { command: 'restore', of: 'a backup' }

/** @param folder for temporary files. */
export function createDatabasePlace(database: Database, folder: string): RestorePlace {
  const staged = path.join(folder, 'waymark.sqlite.restoring-elsewhere')
  const isOurs = async (): Promise<boolean> => (await findArrival(database.db))?.command === arrival.command

  return {
    staged,
    requireFree: async () => {
      await database.requireNobodyServing?.()
      if (await isOurs()) return true
      requireArrived(await findArrival(database.db))
      const table = await findDataIn(database.db, await layoutOf(database))
      if (table === undefined) return false
      throw failBackup(
        'already-there',
        `${database.where} already contains data, in the table ${table}: restore into an empty database.`,
      )
    },
    begin: async () => {
      if (!(await isOurs())) await beginArrival(database.db, arrival)
      await migrate(database, { state: 'arriving' })
    },
    publish: async (open) => {
      const source = await open(staged)
      try {
        const tables = await layoutOf(source)
        await source.snapshot((from) =>
          database.patiently((db) =>
            db.transaction().execute(async (to) => {
              await makingRowsAfter(database.engine, to, () => copyRows({ from, to, tables }))
              await endArrival(to)
            }),
          ),
        )
      } finally {
        await source.close()
      }
    },
    isUnpublished: isOurs,
    forget: async () => {
      await removeDatabase(staged)
      await endArrival(database.db)
    },
    removeStaged: () => removeDatabase(staged),
  }
}
