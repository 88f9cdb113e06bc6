// Migration 0002: idempotency keys, and whether an image was edited.
import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function up(db: Kysely<unknown>, { whole }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('retry')
    .addColumn('account_id', whole, (column) => column.notNull().references('account.id'))
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('key_hash', 'text', (column) => column.notNull())
    .addColumn('body_sha256', 'text', (column) => column.notNull())
    .addColumn('made_id', whole, (column) => column.notNull())
    .addColumn('expires_at', whole, (column) => column.notNull())
    .addPrimaryKeyConstraint('retry_pk', ['account_id', 'path', 'key_hash'])
    .execute()
  await db.schema.createIndex('retry_by_expiry').on('retry').columns(['expires_at']).execute()

  await db.schema.alterTable('image').addColumn('details_set_at', whole).execute()
  await db.schema.alterTable('image').addColumn('accepted_title', 'text').execute()
  await db.schema.alterTable('image').addColumn('accepted_caption', 'text').execute()
  // Until now only the feed showed whose details were ever set, and nothing showed the texts accepted before an edit:
  // the texts of approved images count as accepted.
  await sql`update image set details_set_at = updated_at
    where id in (select image_id from outbox where type = 'image.updated')`.execute(db)
}
