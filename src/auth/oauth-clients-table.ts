// SQL of the table oauth_client.
import type { Db } from '../database/database.ts'

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
    })
    .execute()
}

/** The join drops a client whose account is gone: nobody would answer for what it does. */
export function findClientRow(db: Db, clientId: string): Promise<ClientRow | undefined> {
  return db
    .selectFrom('oauth_client')
    .innerJoin('account', 'account.id', 'oauth_client.account_id')
    .select([
      'oauth_client.id',
      'oauth_client.account_id as accountId',
      'oauth_client.name',
      'oauth_client.secret_hash as secretHash',
      'oauth_client.scope',
      'oauth_client.redirect_uris as redirectUris',
      'oauth_client.created_at as createdAt',
    ])
    .where('oauth_client.id', '=', clientId)
    .executeTakeFirst()
}

export async function isAccount(db: Db, accountId: number): Promise<boolean> {
  return (
    (await db.selectFrom('account').select('id').where('id', '=', accountId).executeTakeFirst()) !== undefined
  )
}
