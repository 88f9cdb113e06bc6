// Migration 0001: trails, accounts, images with their history, the outbox, and credentials.
import type { Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { id, whole } = types

  await db.schema
    .createTable('counter')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', whole, (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('trail')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('slug', 'text', (column) => column.notNull().unique())
    .addColumn('version', whole, (column) => column.notNull())
    .addColumn('created_at', whole, (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('account')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('display_name', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('email_key', 'text', (column) => column.notNull().unique())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('password_hash', 'text')
    .addColumn('created_at', whole, (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('content')
    .addColumn('sha256', 'text', (column) => column.primaryKey())
    .addColumn('bytes', whole, (column) => column.notNull())
    .addColumn('condemned_at', whole)
    .execute()

  await db.schema
    .createTable('rendition')
    .addColumn('sha256', 'text', (column) =>
      column.notNull().references('content.sha256').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('bytes', whole, (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('rendition_pk', ['sha256', 'name'])
    .execute()

  await db.schema
    .createTable('image')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('seq', whole, (column) => column.notNull())
    .addColumn('trail_id', whole, (column) => column.notNull().references('trail.id'))
    .addColumn('submitter_id', whole, (column) => column.notNull().references('account.id'))
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('caption', 'text', (column) => column.notNull())
    .addColumn('lat', 'text', (column) => column.notNull())
    .addColumn('lon', 'text', (column) => column.notNull())
    .addColumn('latitude', 'double precision')
    .addColumn('longitude', 'double precision')
    .addColumn('mime_type', 'text', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull().references('content.sha256'))
    .addColumn('bytes', whole, (column) => column.notNull())
    .addColumn('width', whole, (column) => column.notNull())
    .addColumn('height', whole, (column) => column.notNull())
    .addColumn('posted_at', whole, (column) => column.notNull())
    .addColumn('updated_at', whole, (column) => column.notNull())
    .addUniqueConstraint('image_trail_seq', ['trail_id', 'seq'])
    .execute()
  await db.schema
    .createIndex('image_by_trail_state')
    .on('image')
    .columns(['trail_id', 'state', 'seq'])
    .execute()
  await db.schema
    .createIndex('image_by_submitter')
    .on('image')
    .columns(['submitter_id', 'posted_at', 'id'])
    .execute()
  await db.schema
    .createIndex('image_by_submitter_usage') // covers everything that a quota needs
    .on('image')
    .columns(['submitter_id', 'state', 'bytes'])
    .execute()
  await db.schema
    .createIndex('image_by_trail_posted')
    .on('image')
    .columns(['trail_id', 'posted_at', 'id'])
    .execute()
  await db.schema.createIndex('image_by_posted').on('image').columns(['posted_at', 'id']).execute()
  await db.schema.createIndex('image_by_state').on('image').columns(['state', 'posted_at', 'id']).execute()
  await db.schema.createIndex('image_by_content').on('image').columns(['sha256']).execute()

  await db.schema
    .createTable('image_history')
    .addColumn('position', whole, (column) => column.primaryKey())
    .addColumn('image_id', whole, (column) => column.notNull().references('image.id'))
    .addColumn('at', whole, (column) => column.notNull())
    .addColumn('actor_id', whole, (column) => column.notNull().references('account.id'))
    .addColumn('from_state', 'text')
    .addColumn('to_state', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('note', 'text')
    .execute()
  await db.schema
    .createIndex('image_history_by_image')
    .on('image_history')
    .columns(['image_id', 'position'])
    .execute()

  await db.schema
    .createTable('outbox')
    .addColumn('position', whole, (column) => column.primaryKey())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('at', whole, (column) => column.notNull())
    .addColumn('image_id', whole)
    .addColumn('data', 'text', (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('api_key')
    .addColumn('key_hash', 'text', (column) => column.primaryKey())
    .addColumn('prefix', 'text', (column) => column.notNull().unique())
    .addColumn('account_id', whole, (column) => column.notNull().references('account.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', whole, (column) => column.notNull())
    .addColumn('expires_at', whole)
    .addColumn('revoked_at', whole)
    .addColumn('last_used_at', whole)
    .execute()
  await db.schema.createIndex('api_key_by_account').on('api_key').columns(['account_id']).execute()

  await db.schema
    .createTable('oauth_client')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', whole, (column) => column.notNull().references('account.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('secret_hash', 'text')
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('redirect_uris', 'text', (column) => column.notNull())
    .addColumn('created_at', whole, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('oauth_client_by_account').on('oauth_client').columns(['account_id']).execute()

  await db.schema
    .createTable('oauth_object')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('id_hash', 'text', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('grant_id', 'text')
    .addColumn('user_code', 'text')
    .addColumn('uid', 'text')
    .addColumn('expires_at', whole)
    .addColumn('consumed_at', whole)
    .addPrimaryKeyConstraint('oauth_object_pk', ['kind', 'id_hash'])
    .execute()
  await db.schema.createIndex('oauth_object_by_grant').on('oauth_object').columns(['grant_id']).execute()
  await db.schema
    .createIndex('oauth_object_by_user_code')
    .on('oauth_object')
    .columns(['kind', 'user_code'])
    .execute()
  await db.schema.createIndex('oauth_object_by_uid').on('oauth_object').columns(['kind', 'uid']).execute()
  await db.schema.createIndex('oauth_object_by_expiry').on('oauth_object').columns(['expires_at']).execute()

  await db.schema
    .createTable('signing_key')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('sealed', 'text', (column) => column.notNull())
    .addColumn('created_at', whole, (column) => column.notNull())
    .execute()
}
