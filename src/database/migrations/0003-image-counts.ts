// Migration 0003: how many images are in each state, kept beside the moves: to count a million takes a quarter of a second.
import { sql, type Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`insert into counter (name, value)
    select 'images:' || state, count(*) from image group by state`.execute(db)
}
