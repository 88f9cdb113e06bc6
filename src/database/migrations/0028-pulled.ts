// Migration 0028: unclaimed accounts, and what was pulled from another server, as it was there.
import type { Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function up(db: Kysely<unknown>, { whole }: ColumnTypes): Promise<void> {
  await db.schema.alterTable('account').addColumn('unclaimed_at', whole).execute()
  await db.schema
    .createTable('pulled')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('id', whole, (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('pulled_pk', ['kind', 'id'])
    .execute()
}
