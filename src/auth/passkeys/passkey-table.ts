// SQL of the table passkey.
import type { Db } from '../../database/database.ts'

export interface PasskeyRow {
  /** base64url, as sent by the browser. */
  readonly credentialId: string
  readonly accountId: number
  /** COSE, base64url. */
  readonly publicKey: string
  /** The last value of the authenticator's counter; 0 for those without one. */
  readonly signCount: number
  /** JSON array. */
  readonly transports: string
  readonly name: string
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

const columns = [
  'credential_id as credentialId',
  'account_id as accountId',
  'public_key as publicKey',
  'sign_count as signCount',
  'transports',
  'name',
  'created_at as createdAt',
  'last_used_at as lastUsedAt',
] as const

/** Returns false if the credential is already known, for any account. */
export async function insertPasskey(db: Db, passkey: PasskeyRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('passkey')
    .values({
      credential_id: passkey.credentialId,
      account_id: passkey.accountId,
      public_key: passkey.publicKey,
      sign_count: passkey.signCount,
      transports: passkey.transports,
      name: passkey.name,
      created_at: passkey.createdAt,
      last_used_at: passkey.lastUsedAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

export function findPasskey(db: Db, credentialId: string): Promise<PasskeyRow | undefined> {
  return db.selectFrom('passkey').select(columns).where('credential_id', '=', credentialId).executeTakeFirst()
}

/** Oldest first. */
export function listPasskeysOf(db: Db, accountId: number): Promise<PasskeyRow[]> {
  return db
    .selectFrom('passkey')
    .select(columns)
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('credential_id')
    .execute()
}

/**
 * Notes a use, unless the authenticator's counter did not grow: comparison and change are one statement, so of two
 * copies of an authenticator only one can sign in with the same value.
 * @returns whether it was noted.
 */
export async function notePasskeyUse(
  db: Db,
  use: { readonly credentialId: string; readonly signCount: number; readonly at: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkey')
    .set({ sign_count: use.signCount, last_used_at: use.at })
    .where('credential_id', '=', use.credentialId)
    .where((expression) =>
      expression.or([
        expression('sign_count', '<', use.signCount),
        // Many authenticators have no counter and always send 0.
        expression.and([expression('sign_count', '=', 0), expression.lit(use.signCount === 0)]),
      ]),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Returns whether the account had it. */
export async function deletePasskey(db: Db, accountId: number, credentialId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('passkey')
    .where('account_id', '=', accountId)
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
