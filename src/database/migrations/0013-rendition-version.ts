// Migration 0013: the version of the rules by which each rendition was made, so that older ones are regenerated.
import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function up(db: Kysely<unknown>, { whole }: ColumnTypes): Promise<void> {
  // Older nodes insert rows without it, which are outdated, too.
  await db.schema
    .alterTable('rendition')
    .addColumn('version', whole, (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`create index rendition_by_version on rendition (version, sha256) where name = 'lg'`.execute(db)
}
