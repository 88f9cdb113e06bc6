// Migration 0019: where each original is: stored as it came, or rebuilt from size lg and what that lacks of it.
import { sql, type Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('content')
    .addColumn('original', 'text', (column) => column.notNull().defaultTo('stored'))
    .execute()
  // For the back-fill, which leaves none of them.
  await sql`create index content_to_rebuild on content (sha256) where original in ('stored', 'leaving')`.execute(
    db,
  )
}
