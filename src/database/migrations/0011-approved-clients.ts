// Migration 0011: which applications are approved. Those whose addresses the operator or an admin registered are, from the start.
import type { Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

type Tables = {
  account: { id: number; role: string }
  oauth_client: { id: string; created_at: number; approved_at: number | null }
  audit: { position: number; actor_id: number | null; via: string; action: string; detail: string }
}

type Entry = Pick<Tables['audit'], 'actor_id' | 'via' | 'detail'>

/** Who last gave each client an address that it did not have, as the audit knows it. */
function lastToAddAddresses(entries: readonly Entry[]): Map<string, Entry> {
  const known = new Map<string, ReadonlySet<string>>()
  const last = new Map<string, Entry>()
  for (const entry of entries) {
    const { client, redirectUris } = JSON.parse(entry.detail) as { client: string; redirectUris: string[] }
    const before = known.get(client)
    if (!before || redirectUris.some((uri) => !before.has(uri))) last.set(client, entry)
    known.set(client, new Set(redirectUris))
  }
  return last
}

export async function up(db: Kysely<unknown>, { whole }: ColumnTypes): Promise<void> {
  await db.schema.alterTable('oauth_client').addColumn('approved_at', whole).execute()

  const old = db.withTables<Tables>()
  const entries = await old
    .selectFrom('audit')
    .select(['actor_id', 'via', 'detail'])
    .where('action', 'in', ['client.created', 'client.changed'])
    .orderBy('position')
    .execute()
  const admins = await old.selectFrom('account').select('id').where('role', '=', 'admin').execute()
  const adminIds = new Set(admins.map(({ id }) => id))
  const adders = lastToAddAddresses(entries)
  const clients = await old.selectFrom('oauth_client').select(['id', 'created_at']).execute()
  for (const { id, created_at: createdAt } of clients) {
    const by = adders.get(id)
    // Clients older than the audit log were registered on the command line, which was then the only way.
    const isOperators = !by || by.via === 'command' || by.via === 'server'
    if (!isOperators && !adminIds.has(by.actor_id ?? 0)) continue
    await old.updateTable('oauth_client').set({ approved_at: createdAt }).where('id', '=', id).execute()
  }
}
