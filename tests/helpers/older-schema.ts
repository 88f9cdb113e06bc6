// Reverts a SQLite database to the schema of an older version: drops everything that version does not have, with its
// data.
import path from 'node:path'
import { sql } from 'kysely'
import type { Db } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open-database.ts'

interface Part {
  readonly kind: string
  readonly name: string
}

async function partsOf(db: Db): Promise<readonly Part[]> {
  const { rows } = await sql<Part>`select type as kind, name from sqlite_schema
    where name not like 'sqlite_%' and name not like 'kysely_%'`.execute(db)
  return rows
}

async function columnsOf(db: Db, table: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(db)
  return rows.map(({ name }) => name)
}

/**
 * @param upTo name of the last migration to keep.
 * @param folder for the database to compare with.
 */
export async function takeSchemaBack(db: Db, upTo: string, folder: string): Promise<void> {
  const older = await openDatabase({ engine: 'sqlite', file: path.join(folder, 'older.sqlite') })
  try {
    await migrate(older, { upTo })
    const old = await partsOf(older.db)
    const isNew = ({ kind, name }: Part): boolean =>
      !old.some((one) => one.kind === kind && one.name === name)
    // Dependent objects are dropped first.
    const order = ['trigger', 'view', 'index', 'table']
    const parts = (await partsOf(db)).toSorted(
      (one, other) => order.indexOf(one.kind) - order.indexOf(other.kind),
    )
    for (const part of parts.filter(isNew))
      await sql`drop ${sql.raw(part.kind)} ${sql.ref(part.name)}`.execute(db)
    for (const { name: table } of old.filter(({ kind }) => kind === 'table')) {
      const known = await columnsOf(older.db, table)
      for (const column of await columnsOf(db, table))
        if (!known.includes(column))
          await sql`alter table ${sql.ref(table)} drop column ${sql.ref(column)}`.execute(db)
    }
    await sql`delete from kysely_migration where name > ${upTo}`.execute(db)
  } finally {
    await older.close()
  }
}
