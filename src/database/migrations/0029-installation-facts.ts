// Migration 0029: notes of an installation about itself, such as which secret its server uses and how its last backup
// went.
import type { Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function up(db: Kysely<unknown>, { whole }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('installation_fact')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('noted_at', whole, (column) => column.notNull())
    .execute()
}
