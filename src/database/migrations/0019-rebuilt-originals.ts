// Migration 0019: the form of each original: stored as uploaded, or rebuilt from size lg and what that lacks.
import { sql, type Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('content')
    .addColumn('original', 'text', (column) => column.notNull().defaultTo('stored'))
    .execute()
  // Older nodes cannot rebuild an original. If there may be some, they have an hour to be replaced, from the first
  // start of a node of this version (images/storage/stored-once.ts).
  await sql`insert into counter (name, value)
    select 'photos-once-from', -1 where exists (select 1 from image)`.execute(db)
  // For the back-fill, which processes all of them.
  await sql`create index content_to_rebuild on content (sha256) where original in ('stored', 'leaving')`.execute(
    db,
  )
}
