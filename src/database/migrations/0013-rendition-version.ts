// Migration 0013: by which version of the rules each rendition was made, so that older ones are made anew.
import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function up(db: Kysely<unknown>, { whole }: ColumnTypes): Promise<void> {
  // A node of an older Waymark beside this one goes on to insert rows without it: those are old, too.
  await db.schema
    .alterTable('rendition')
    .addColumn('version', whole, (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`create index rendition_by_version on rendition (version, sha256) where name = 'lg'`.execute(db)
}
