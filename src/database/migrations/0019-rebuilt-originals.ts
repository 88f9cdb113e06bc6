// Migration 0019: where each original is: stored as it came, or rebuilt from size lg and what that lacks of it.
import { sql, type Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('content')
    .addColumn('original', 'text', (column) => column.notNull().defaultTo('stored'))
    .execute()
  // Nodes of the version before cannot rebuild an original. Where there may be some, they have an hour to be replaced, from
  // the first start of a node of this one (images/storage/stored-once.ts).
  await sql`insert into counter (name, value)
    select 'photos-once-from', -1 where exists (select 1 from image)`.execute(db)
  // For the back-fill, which leaves none of them.
  await sql`create index content_to_rebuild on content (sha256) where original in ('stored', 'leaving')`.execute(
    db,
  )
}
