// Writes a copy of a database of another engine into a new SQLite file: what a backup holds, whatever it was made of.
import { closeSync, openSync } from 'node:fs'
import { copyRows } from './copy-rows.ts'
import type { Database } from './database.ts'
import { layoutOf } from './layout.ts'
import { migrate, schemaOf } from './migrate.ts'
import { openSqlite } from './sqlite/sqlite.ts'

/** @param source one moment of it. The copy has had the same migrations, and is not synced. */
export async function copyToSqlite(
  source: Pick<Database, 'engine' | 'db' | 'types'>,
  file: string,
): Promise<void> {
  const upTo = await schemaOf(source)
  closeSync(openSync(file, 'wx', 0o600))
  const copy = openSqlite(file)
  try {
    if (upTo !== undefined) await migrate(copy, { upTo })
    const tables = await layoutOf(copy)
    await copy.db.transaction().execute((to) => copyRows({ from: source.db, to, tables }))
  } finally {
    await copy.close()
  }
}
