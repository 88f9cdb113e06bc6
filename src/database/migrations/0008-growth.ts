// Migration 0008: columns and indexes that keep every query as cheap with a million images as with a hundred.
import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function up(db: Kysely<unknown>, { whole }: ColumnTypes): Promise<void> {
  // Stored, because the sum over a hundred thousand images took 15 ms, three times an upload.
  await db.schema
    .alterTable('account')
    .addColumn('image_bytes', whole, (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`update account set image_bytes =
    coalesce((select sum(bytes) from image where image.submitter_id = account.id), 0)`.execute(db)

  // Replaces the index for that sum: an account's images by state, in order.
  await db.schema.dropIndex('image_by_submitter_usage').execute()
  await db.schema
    .createIndex('image_by_submitter_state')
    .on('image')
    .columns(['submitter_id', 'state', 'posted_at', 'id'])
    .execute()
  // What waits of one submitter, among all that waits: few, and gone with the decision.
  await sql`create index image_by_submitter_queue on image (submitter_id, queued_at, id) where queued_at is not null`.execute(
    db,
  )

  // Images that wait again, edited or reported, with all columns of the query: SQLite would otherwise walk all that
  // wait.
  await db.schema.dropIndex('image_by_second_queue').execute()
  await sql`create index image_by_edited_queue on image (queued_at, id, state, accepted_title) where queued_at is not null and accepted_title is not null`.execute(
    db,
  )
  await sql`create index image_by_reported_queue on image (queued_at, id, state, open_reports) where queued_at is not null and open_reports > 0`.execute(
    db,
  )
  // Covers whose trash an image is in, so that a reviewer of some trails reads no other images.
  await db.schema.dropIndex('image_by_deletion').execute()
  await sql`create index image_by_deletion on image (deleted_at, id, trail_id, submitter_id) where deleted_at is not null`.execute(
    db,
  )

  // A handful among a million: looked for at each start and every hour.
  await sql`create index content_condemned on content (sha256) where condemned_at is not null`.execute(db)
  await sql`create index account_by_deletion on account (deleted_at) where deleted_at is not null`.execute(db)
  await sql`create index report_by_reporter on report (reporter_id, at) where reporter_id is not null`.execute(
    db,
  )

  await db.schema.createIndex('route_by_shown').on('route').columns(['visibility', 'id']).execute()
  await db.schema.createIndex('account_by_role').on('account').columns(['role', 'id']).execute()
  await db.schema
    .createIndex('trail_by_box') // as route_shown_by_box: a tile reads no trail elsewhere
    .on('trail')
    .columns(['south', 'north', 'west', 'east', 'id'])
    .execute()
}
