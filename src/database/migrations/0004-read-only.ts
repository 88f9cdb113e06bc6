// Migration 0004: the switch that makes an installation read-only.
import type { Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function up(db: Kysely<unknown>, { whole }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('read_only')
    .addColumn('id', whole, (column) => column.primaryKey())
    .addColumn('since', whole, (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .execute()
}
