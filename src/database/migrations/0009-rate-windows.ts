// Migration 0009: what several nodes count together. On one node nothing is ever in it.
import type { Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function up(db: Kysely<unknown>, { whole }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('rate_window')
    .addColumn('policy', 'text', (column) => column.notNull())
    .addColumn('bucket', 'text', (column) => column.notNull())
    .addColumn('count', whole, (column) => column.notNull())
    .addColumn('ends_at', whole, (column) => column.notNull())
    .addPrimaryKeyConstraint('rate_window_pk', ['policy', 'bucket'])
    .execute()
}
