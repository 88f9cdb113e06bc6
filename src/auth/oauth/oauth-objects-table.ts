// SQL of the table oauth_object: tokens, codes, grants and sessions of the authorization server, by the hash of their id.
import { sql } from 'kysely'
import type { Db, Tx } from '../../database/database.ts'
import { createHotQuery } from '../../database/hot-query.ts'
import type { Role } from '../../database/schema.ts'

export interface ObjectKey {
  /** The provider's model name, such as AccessToken. */
  readonly kind: string
  readonly idHash: string
}

export interface NewObject extends ObjectKey {
  readonly payload: string
  readonly grantId: string | null
  /** SHA-256 of the user code, hex. */
  readonly userCode: string | null
  /** A second key: a session's uid or, for an access token, the client it was issued to. */
  readonly uid: string | null
  readonly expiresAt: number | null
  /** The account and the application. */
  readonly accountId: number | null
  readonly clientId: string | null
}

export interface ObjectRow {
  readonly payload: string
  readonly grantId: string | null
  readonly expiresAt: number | null
  readonly consumedAt: number | null
}

const columns = [
  'payload',
  'grant_id as grantId',
  'expires_at as expiresAt',
  'consumed_at as consumedAt',
] as const

/** Inserts or replaces; `consumed` is never changed, so that saving an object cannot revive it. */
export async function saveObject(db: Db, object: NewObject): Promise<void> {
  const changing = {
    payload: object.payload,
    grant_id: object.grantId,
    user_code: object.userCode,
    uid: object.uid,
    expires_at: object.expiresAt,
    account_id: object.accountId,
    client_id: object.clientId,
  }
  await db
    .insertInto('oauth_object')
    .values({ kind: object.kind, id_hash: object.idHash, ...changing, consumed_at: null })
    .onConflict((conflict) => conflict.columns(['kind', 'id_hash']).doUpdateSet(changing))
    .execute()
}

export function findObject(db: Db, { kind, idHash }: ObjectKey): Promise<ObjectRow | undefined> {
  return db
    .selectFrom('oauth_object')
    .select(columns)
    .where('kind', '=', kind)
    .where('id_hash', '=', idHash)
    .executeTakeFirst()
}

export function findObjectBy(
  db: Db,
  kind: string,
  column: 'user_code' | 'uid',
  value: string,
): Promise<ObjectRow | undefined> {
  return db
    .selectFrom('oauth_object')
    .select(columns)
    .where('kind', '=', kind)
    .where(column, '=', value)
    .orderBy('expires_at', 'desc')
    .executeTakeFirst()
}

/** Returns true to exactly one of any number of callers: the comparison and the mark are one statement. */
export async function consumeObject(db: Db, { kind, idHash }: ObjectKey, at: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('oauth_object')
    .set({ consumed_at: at })
    .where('kind', '=', kind)
    .where('id_hash', '=', idHash)
    .where('consumed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteObject(db: Db, { kind, idHash }: ObjectKey): Promise<void> {
  await db.deleteFrom('oauth_object').where('kind', '=', kind).where('id_hash', '=', idHash).execute()
}

export async function deleteObjectsOfGrant(db: Db, grantId: string, kind?: string): Promise<void> {
  const query = db.deleteFrom('oauth_object').where('grant_id', '=', grantId)
  await (kind === undefined ? query : query.where('kind', '=', kind)).execute()
}

/** Deletes everything issued for the account, or only what one client has. @returns how many. */
export async function deleteObjectsOfAccount(db: Db, accountId: number, clientId?: string): Promise<number> {
  const query = db.deleteFrom('oauth_object').where('account_id', '=', accountId)
  const { numDeletedRows } = await (
    clientId === undefined ? query : query.where('client_id', '=', clientId)
  ).executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes everything issued to the client, for any account. @returns how many. */
export async function deleteObjectsOfClient(db: Db, clientId: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('oauth_object')
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/**
 * Locks the row until the transaction ends, and returns whether it exists. It is an update that changes nothing,
 * because that is the only row lock that both engines have.
 */
export async function holdObject(transaction: Tx, { kind, idHash }: ObjectKey): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('oauth_object')
    .set({ expires_at: sql.ref('expires_at') })
    .where('kind', '=', kind)
    .where('id_hash', '=', idHash)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export interface TokenRow {
  readonly kind: string
  readonly payload: string
  readonly expiresAt: number | null
  readonly clientId: string
  /** Scopes the client is registered for, separated by spaces. */
  readonly clientScope: string
  /** The account that granted it; for a token of the client itself, the client's account. */
  readonly accountId: number
  /** Its current role. */
  readonly role: Role
}

/**
 * An access token of one of the kinds with its client and account, by hash. Not found if its client was deleted, or its
 * account was deleted or suspended.
 */
export function createTokenQuery(db: Db, kinds: readonly string[]) {
  return createHotQuery<TokenRow, 'idHash'>(
    db,
    (parameter) =>
      db
        .selectFrom('oauth_object')
        .innerJoin('oauth_client', 'oauth_client.id', 'oauth_object.uid')
        .innerJoin('account', (join) =>
          // By kind, not "whichever exists": a granted token without an account must not act as the client's account.
          join.on(({ eb, ref }) =>
            eb(
              'account.id',
              '=',
              eb
                .case()
                .when('oauth_object.kind', '=', 'ClientCredentials')
                .then(ref('oauth_client.account_id'))
                .else(ref('oauth_object.account_id'))
                .end(),
            ),
          ),
        )
        .select([
          'oauth_object.kind',
          'oauth_object.payload',
          'oauth_object.expires_at as expiresAt',
          'oauth_client.id as clientId',
          'oauth_client.scope as clientScope',
          'account.id as accountId',
          'account.role',
        ])
        .where('oauth_object.kind', 'in', kinds)
        .where('oauth_object.id_hash', '=', parameter('idHash'))
        .where('account.suspended_at', 'is', null),
    { keep: 5_000 },
  )
}

/** Deletes objects that expired at `before` or earlier; for the `lasting` kinds, at `lastingBefore`. Returns how many. */
export async function deleteExpired(
  db: Db,
  limits: { readonly before: number; readonly lasting: readonly string[]; readonly lastingBefore: number },
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('oauth_object')
    .where('expires_at', '<=', limits.before)
    .where((where) =>
      where.or([where('kind', 'not in', limits.lasting), where('expires_at', '<=', limits.lastingBefore)]),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
