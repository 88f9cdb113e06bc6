// Migration 0027: what transactions side by side have left to the sequencer, until it is numbered. PostgreSQL alone has it.
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { ColumnTypes, Database } from '../database.ts'

export async function up(
  db: Kysely<unknown>,
  _types: ColumnTypes,
  engine: Database['engine'],
): Promise<void> {
  if (engine !== 'postgres') return
  await sql`create table outbox_pending (
    id bigint generated always as identity primary key,
    told text collate "C" not null
  )`.execute(db)
}
