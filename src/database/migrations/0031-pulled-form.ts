// Migration 0031: in which form the file of a pulled photo came; null for size lg, for what is no photo, and for what was
// pulled before.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('pulled').addColumn('form', 'text').execute()
}
