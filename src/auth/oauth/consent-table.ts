// SQL of the table consent: the scopes that users have granted to applications.
import type { Db } from '../../database/database.ts'

export interface Consent {
  readonly accountId: number
  readonly clientId: string
  /** Separated by spaces. */
  readonly scope: string
  readonly grantedAt: number
}

export interface GrantedApplication extends Consent {
  readonly name: string
  /** Display name of the account that owns the application. */
  readonly publisher: string
}

const columns = [
  'consent.account_id as accountId',
  'consent.client_id as clientId',
  'consent.scope',
  'consent.granted_at as grantedAt',
] as const

export function findConsent(db: Db, accountId: number, clientId: string): Promise<Consent | undefined> {
  return db
    .selectFrom('consent')
    .select(columns)
    .where('account_id', '=', accountId)
    .where('client_id', '=', clientId)
    .executeTakeFirst()
}

export async function saveConsent(db: Db, consent: Consent): Promise<void> {
  const { accountId, clientId, scope, grantedAt } = consent
  await db
    .insertInto('consent')
    .values({ account_id: accountId, client_id: clientId, scope, granted_at: grantedAt })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'client_id']).doUpdateSet({ scope, granted_at: grantedAt }),
    )
    .execute()
}

export function listConsents(db: Db, accountId: number): Promise<GrantedApplication[]> {
  return db
    .selectFrom('consent')
    .innerJoin('oauth_client', 'oauth_client.id', 'consent.client_id')
    .innerJoin('account', 'account.id', 'oauth_client.account_id')
    .select([...columns, 'oauth_client.name', 'account.display_name as publisher'])
    .where('consent.account_id', '=', accountId)
    .orderBy('consent.granted_at', 'desc')
    .orderBy('consent.client_id')
    .execute()
}

/** Returns whether there was one. */
export async function deleteConsent(db: Db, accountId: number, clientId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('consent')
    .where('account_id', '=', accountId)
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Everything the account has granted. */
export async function deleteConsents(db: Db, accountId: number): Promise<void> {
  await db.deleteFrom('consent').where('account_id', '=', accountId).execute()
}
