// Migration 0014: the language in which each account reads its mails.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Null for accounts created before, or by an older node.
  await db.schema.alterTable('account').addColumn('language', 'text').execute()
}
