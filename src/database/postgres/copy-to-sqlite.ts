// Writes a copy of a PostgreSQL database to a new SQLite file, which every backup contains, whatever its engine was.
import { closeSync, openSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import type { Database } from '../database.ts'
import { layoutOf, type TableLayout } from '../layout.ts'
import { migrate, schemaOf } from '../migrate.ts'
import { loadRows, type RowsToLoad } from '../sqlite/load-rows.ts'
import { openSqlite } from '../sqlite/sqlite.ts'
import { copyOut, type CopiedTable } from './copy-out.ts'
import { readCopiedRows } from './copied-rows.ts'

/** Creates the empty schema of that migration. @returns its tables, referenced ones first. */
async function makeSchema(file: string, upTo: string): Promise<TableLayout[]> {
  closeSync(openSync(file, 'wx', 0o600))
  const copy = openSqlite(file)
  try {
    await migrate(copy, { upTo })
    return await layoutOf(copy)
  } finally {
    await copy.close()
  }
}

const toLoad = ({ table, file, rows, types }: CopiedTable): RowsToLoad => ({
  table,
  count: rows,
  batches: () => readCopiedRows(file, types),
  loaded: () => rm(file),
})

/**
 * The rows are first written to files next to the copy, and loaded into SQLite once the snapshot is closed: while it is open,
 * PostgreSQL cannot vacuum replaced or deleted rows, and writes become slower.
 * @param source the schema is read from it. The copy gets the same migrations, and is not synced.
 */
export async function copyToSqlite(
  source: Pick<Database, 'db' | 'engine' | 'types'> & { readonly url: string },
  file: string,
): Promise<void> {
  const schema = await schemaOf(source)
  if (schema === undefined) throw new Error('The database holds no schema of Waymark.')
  const folder = `${file}.rows`
  await mkdir(folder, { mode: 0o700 })
  try {
    const tables = await makeSchema(file, schema)
    const copied = await copyOut({ url: source.url, schema, tables, folder })
    await loadRows(file, copied.map(toLoad))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
