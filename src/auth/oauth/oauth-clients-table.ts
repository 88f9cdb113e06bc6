// SQL of the table oauth_client.
import type { Db } from '../../database/database.ts'

export interface ClientRow {
  readonly id: string
  readonly accountId: number
  readonly name: string
  /** SHA-256 of the secret, hex; null for a public client. */
  readonly secretHash: string | null
  readonly scope: string
  /** JSON array. */
  readonly redirectUris: string
  readonly createdAt: number
  /** When an admin or the operator approved its redirect URIs; null if nobody has. */
  readonly approvedAt: number | null
}

export async function insertClient(db: Db, client: ClientRow): Promise<void> {
  await db
    .insertInto('oauth_client')
    .values({
      id: client.id,
      account_id: client.accountId,
      name: client.name,
      secret_hash: client.secretHash,
      scope: client.scope,
      redirect_uris: client.redirectUris,
      created_at: client.createdAt,
      approved_at: client.approvedAt,
    })
    .execute()
}

/** Changes the given fields and keeps the others. */
export async function updateClient(
  db: Db,
  id: string,
  change: {
    name?: string
    scope?: string
    redirectUris?: string
    secretHash?: string
    approvedAt?: number | null
  },
): Promise<void> {
  const { name, scope, redirectUris, secretHash, approvedAt } = change
  await db
    .updateTable('oauth_client')
    .set({
      ...(name !== undefined && { name }),
      ...(scope !== undefined && { scope }),
      ...(redirectUris !== undefined && { redirect_uris: redirectUris }),
      ...(secretHash !== undefined && { secret_hash: secretHash }),
      ...(approvedAt !== undefined && { approved_at: approvedAt }),
    })
    .where('id', '=', id)
    .execute()
}

/** Also deletes its origins and the consents for it. */
export async function deleteClient(db: Db, id: string): Promise<void> {
  await db.deleteFrom('consent').where('client_id', '=', id).execute()
  await db.deleteFrom('oauth_client_origin').where('client_id', '=', id).execute()
  await db.deleteFrom('oauth_client').where('id', '=', id).execute()
}

export async function replaceClientOrigins(
  db: Db,
  clientId: string,
  origins: readonly string[],
): Promise<void> {
  await db.deleteFrom('oauth_client_origin').where('client_id', '=', clientId).execute()
  if (origins.length === 0) return
  await db
    .insertInto('oauth_client_origin')
    .values(origins.map((origin) => ({ client_id: clientId, origin })))
    .execute()
}

/** Does a client of an active account have a redirect URI with this origin? */
export async function isClientOrigin(db: Db, origin: string): Promise<boolean> {
  const row = await db
    .selectFrom('oauth_client_origin')
    .innerJoin('oauth_client', 'oauth_client.id', 'oauth_client_origin.client_id')
    .innerJoin('account', 'account.id', 'oauth_client.account_id')
    .select('origin')
    .where('origin', '=', origin)
    .where('account.suspended_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

const columns = [
  'oauth_client.id',
  'oauth_client.account_id as accountId',
  'account.display_name as publisher',
  'oauth_client.name',
  'oauth_client.secret_hash as secretHash',
  'oauth_client.scope',
  'oauth_client.redirect_uris as redirectUris',
  'oauth_client.created_at as createdAt',
  'oauth_client.approved_at as approvedAt',
] as const

export interface ClientFilter {
  readonly accountId?: number | undefined
  /** Clients created before this one, in the order of the list. */
  readonly after?: { readonly createdAt: number; readonly id: string } | undefined
  readonly limit: number
}

/** Newest first. */
export function listClients(
  db: Db,
  { accountId, after, limit }: ClientFilter,
): Promise<(ClientRow & { publisher: string })[]> {
  return db
    .selectFrom('oauth_client')
    .innerJoin('account', 'account.id', 'oauth_client.account_id')
    .select(columns)
    .$if(accountId !== undefined, (query) => query.where('oauth_client.account_id', '=', accountId ?? 0))
    .$if(after !== undefined, (query) =>
      query.where(({ eb, or, and }) =>
        or([
          eb('oauth_client.created_at', '<', after?.createdAt ?? 0),
          and([
            eb('oauth_client.created_at', '=', after?.createdAt ?? 0),
            eb('oauth_client.id', '<', after?.id ?? ''),
          ]),
        ]),
      ),
    )
    .orderBy('oauth_client.created_at', 'desc')
    .orderBy('oauth_client.id', 'desc')
    .limit(limit)
    .execute()
}

/** The join leaves out a client whose account is deleted or suspended: nobody would be responsible for it. */
export function findClientRow(
  db: Db,
  clientId: string,
): Promise<(ClientRow & { publisher: string }) | undefined> {
  return db
    .selectFrom('oauth_client')
    .innerJoin('account', 'account.id', 'oauth_client.account_id')
    .select(columns)
    .where('oauth_client.id', '=', clientId)
    .where('account.suspended_at', 'is', null)
    .executeTakeFirst()
}

/** Is there such an account, and is it active? */
export async function isAccount(db: Db, accountId: number): Promise<boolean> {
  const row = await db
    .selectFrom('account')
    .select('id')
    .where('id', '=', accountId)
    .where('suspended_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/** The active admin with the oldest account. */
export async function oldestAdmin(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('account')
    .select('id')
    .where('role', '=', 'admin')
    .where('suspended_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}
