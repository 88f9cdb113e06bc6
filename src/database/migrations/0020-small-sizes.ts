// Migration 0020: the small sizes of a photo are in one blob, and its row says where each of them is.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('rendition').addColumn('parts', 'text').execute()
  await db.schema.alterTable('rendition').addColumn('webp', 'text').execute()
}
