// Migration 0025: the logo and icons that admins chose. They are in the database, so that backups and all nodes have them.
import type { Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function up(db: Kysely<unknown>, { bytes }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('brand_file')
    // SHA-256 of the bytes, hex: part of the picture's address.
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('bytes', bytes, (column) => column.notNull())
    .execute()
}
