// Migration 0010: how circles of privacy zones are displaced, and link tokens of routes as hashes.
import { createHash } from 'node:crypto'
import { sql, type Kysely } from 'kysely'

const rowsOfStep = 500

interface Linked {
  route: { id: number; link_token: string | null; link_hash: string | null }
}

/** Existing links keep working, but can no longer be read from the database. */
async function hashLinks(db: Kysely<Linked>): Promise<void> {
  for (;;) {
    const rows = await db
      .selectFrom('route')
      .select(['id', 'link_token'])
      .where('link_token', 'is not', null)
      .limit(rowsOfStep)
      .execute()
    if (rows.length === 0) return
    for (const { id, link_token: token } of rows) {
      const link_hash = createHash('sha256')
        .update(token ?? '')
        .digest('base64url')
      await db
        .updateTable('route')
        .set({ link_hash, link_token: null })
        .where('id', '=', id)
        .where('link_token', '=', token)
        .execute()
    }
  }
}

export async function up(db: Kysely<unknown>): Promise<void> {
  // Accounts that have had a zone start from the circles that may have been seen; older nodes, which do not know the
  // column, displace as before while nodes are replaced one by one.
  await sql`alter table zone_set add column displacement text not null default 'ring'`.execute(db)

  await sql`alter table route add column link_hash text`.execute(db)
  await sql`alter table route add column link_nonce text`.execute(db)
  // For the statement above, since no other index serves it, and an installation may hold millions of private routes.
  await sql`create index route_by_plain_link on route (id) where link_token is not null`.execute(db)
  await hashLinks(db)
  await sql`drop index route_by_plain_link`.execute(db)
}
