// Migration 0014: the language in which each account reads its mails.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Null for accounts made before, and by a node of an older Waymark beside this one: nobody has asked them.
  await db.schema.alterTable('account').addColumn('language', 'text').execute()
}
