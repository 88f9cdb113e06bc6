// SQL of the table api_key.
import type { Db } from '../database/database.ts'

export interface KeyRow {
  readonly prefix: string
  readonly name: string
  readonly accountId: number
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
}

const columns = [
  'prefix',
  'name',
  'account_id as accountId',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'revoked_at as revokedAt',
  'last_used_at as lastUsedAt',
] as const

/** Says false where the hash or the prefix is already taken. */
export async function insertKey(
  db: Db,
  key: {
    keyHash: string
    prefix: string
    accountId: number
    name: string
    createdAt: number
    expiresAt: number | undefined
  },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('api_key')
    .values({
      key_hash: key.keyHash,
      prefix: key.prefix,
      account_id: key.accountId,
      name: key.name,
      created_at: key.createdAt,
      expires_at: key.expiresAt ?? null,
      revoked_at: null,
      last_used_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

export function findKey(db: Db, keyHash: string): Promise<KeyRow | undefined> {
  return db.selectFrom('api_key').select(columns).where('key_hash', '=', keyHash).executeTakeFirst()
}

export function listKeysOf(db: Db, accountId: number): Promise<KeyRow[]> {
  return db
    .selectFrom('api_key')
    .select(columns)
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('prefix')
    .execute()
}

export async function revokeKey(db: Db, prefix: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('api_key')
    .set({ revoked_at: at })
    .where('prefix', '=', prefix)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function noteKeyUse(db: Db, keyHash: string, at: number): Promise<void> {
  await db.updateTable('api_key').set({ last_used_at: at }).where('key_hash', '=', keyHash).execute()
}
