// Migration 0012: which devices still count as known, how each session was begun, and which rows of the audit end.
import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function up(db: Kysely<unknown>, { whole }: ColumnTypes): Promise<void> {
  await db.schema
    .alterTable('account')
    .addColumn('device_epoch', whole, (column) => column.notNull().defaultTo(0))
    .execute()
  // Null for older sessions, which count as started without a passkey.
  await db.schema.alterTable('session').addColumn('how', 'text').execute()
  // For the deletion of old failures, the only rows that are removed from the audit log (accounts/audit/incidents.ts).
  await sql`create index audit_incident on audit (at)
    where action in ('sign-in.failed', 'admin.refused', 'token.misused')`.execute(db)
}
