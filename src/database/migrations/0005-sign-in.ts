// Migration 0005: sessions, links used once, passkeys, consents, identities from elsewhere, and the audit of all of it.
import type { Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function up(db: Kysely<unknown>, { whole }: ColumnTypes): Promise<void> {
  await db.schema.alterTable('account').addColumn('suspended_at', whole).execute()
  await db.schema.alterTable('account').addColumn('email_verified_at', whole).execute()

  await db.schema
    .createTable('account_trail')
    .addColumn('account_id', whole, (column) => column.notNull().references('account.id'))
    .addColumn('trail_id', whole, (column) => column.notNull().references('trail.id'))
    .addPrimaryKeyConstraint('account_trail_pk', ['account_id', 'trail_id'])
    .execute()

  await db.schema
    .createTable('session')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('account_id', whole, (column) => column.notNull().references('account.id'))
    .addColumn('created_at', whole, (column) => column.notNull())
    .addColumn('last_seen_at', whole, (column) => column.notNull())
    .addColumn('expires_at', whole, (column) => column.notNull())
    .addColumn('browser', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('session_by_account').on('session').columns(['account_id']).execute()
  await db.schema.createIndex('session_by_expiry').on('session').columns(['expires_at']).execute()

  await db.schema
    .createTable('one_time')
    .addColumn('token_hash', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('account_id', whole, (column) => column.references('account.id'))
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('created_at', whole, (column) => column.notNull())
    .addColumn('expires_at', whole, (column) => column.notNull())
    .addColumn('used_at', whole)
    .execute()
  await db.schema.createIndex('one_time_by_account').on('one_time').columns(['account_id', 'kind']).execute()
  await db.schema.createIndex('one_time_by_expiry').on('one_time').columns(['expires_at']).execute()

  await db.schema
    .createTable('passkey')
    .addColumn('credential_id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', whole, (column) => column.notNull().references('account.id'))
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('sign_count', whole, (column) => column.notNull())
    .addColumn('transports', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', whole, (column) => column.notNull())
    .addColumn('last_used_at', whole)
    .execute()
  await db.schema.createIndex('passkey_by_account').on('passkey').columns(['account_id']).execute()

  await db.schema
    .createTable('external_identity')
    .addColumn('issuer', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('account_id', whole, (column) => column.notNull().references('account.id'))
    .addColumn('created_at', whole, (column) => column.notNull())
    .addPrimaryKeyConstraint('external_identity_pk', ['issuer', 'subject'])
    .execute()
  await db.schema
    .createIndex('external_identity_by_account')
    .on('external_identity')
    .columns(['account_id'])
    .execute()

  await db.schema
    .createTable('consent')
    .addColumn('account_id', whole, (column) => column.notNull().references('account.id'))
    .addColumn('client_id', 'text', (column) =>
      column.notNull().references('oauth_client.id').onDelete('cascade'),
    )
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('granted_at', whole, (column) => column.notNull())
    .addPrimaryKeyConstraint('consent_pk', ['account_id', 'client_id'])
    .execute()

  await db.schema
    .createTable('oauth_client_origin')
    .addColumn('client_id', 'text', (column) =>
      column.notNull().references('oauth_client.id').onDelete('cascade'),
    )
    .addColumn('origin', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('oauth_client_origin_pk', ['client_id', 'origin'])
    .execute()
  await db.schema
    .createIndex('oauth_client_origin_by_origin')
    .on('oauth_client_origin')
    .columns(['origin'])
    .execute()

  // Whose and for which application a token or a grant is: what suspending and revoking look for.
  await db.schema.alterTable('oauth_object').addColumn('account_id', whole).execute()
  await db.schema.alterTable('oauth_object').addColumn('client_id', 'text').execute()
  await db.schema
    .createIndex('oauth_object_by_account')
    .on('oauth_object')
    .columns(['account_id', 'client_id'])
    .execute()
  await db.schema.createIndex('oauth_object_by_client').on('oauth_object').columns(['client_id']).execute()

  await db.schema
    .createTable('audit')
    .addColumn('position', whole, (column) => column.primaryKey())
    .addColumn('at', whole, (column) => column.notNull())
    .addColumn('actor_id', whole)
    .addColumn('via', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('account_id', whole)
    .addColumn('detail', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('audit_by_account').on('audit').columns(['account_id', 'position']).execute()
}
