// SQL of the table api_key.
import type { Db, Tx } from '../database/database.ts'
import { createHotQuery } from '../database/hot-query.ts'

export interface KeyRow {
  readonly prefix: string
  readonly name: string
  readonly accountId: number
  readonly createdAt: number
  readonly expiresAt: number | null
  /** When it ended or, for a key that was rotated with an overlap, will end. */
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
}

const columns = [
  'prefix',
  'name',
  'account_id as accountId',
  'api_key.created_at as createdAt',
  'expires_at as expiresAt',
  'revoked_at as revokedAt',
  'last_used_at as lastUsedAt',
] as const

/** Returns false if the hash or the prefix is taken. */
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

/** The key, unless its account is suspended. */
export function createKeyQuery(db: Db) {
  return createHotQuery<KeyRow, 'keyHash'>(
    db,
    (parameter) =>
      db
        .selectFrom('api_key')
        .innerJoin('account', 'account.id', 'api_key.account_id')
        .select(columns)
        .where('key_hash', '=', parameter('keyHash'))
        .where('account.suspended_at', 'is', null),
    { keep: 5_000 },
  )
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

/** Returns the ended key; undefined if there is none left to end. Without an owner, keys of any account match. */
export function endKey(
  tx: Tx,
  { prefix, ownerId }: { readonly prefix: string; readonly ownerId?: number | undefined },
  times: { readonly now: number; readonly endsAt: number },
): Promise<KeyRow | undefined> {
  let query = tx
    .updateTable('api_key')
    .set({ revoked_at: times.endsAt })
    .where('prefix', '=', prefix)
    .where(({ eb, or }) => or([eb('revoked_at', 'is', null), eb('revoked_at', '>', times.now)]))
  if (ownerId !== undefined) query = query.where('account_id', '=', ownerId)
  return query.returning(columns).executeTakeFirst()
}

export async function deleteKeys(tx: Tx, prefixes: readonly string[]): Promise<void> {
  if (prefixes.length > 0) await tx.deleteFrom('api_key').where('prefix', 'in', prefixes).execute()
}

export async function noteKeyUse(db: Db, keyHash: string, at: number): Promise<void> {
  await db.updateTable('api_key').set({ last_used_at: at }).where('key_hash', '=', keyHash).execute()
}
