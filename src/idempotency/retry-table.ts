// SQL of the table retry: what requests with an Idempotency-Key made.
import type { Db, Tx } from '../database/database.ts'
import { later } from '../database/together.ts'
import type { RetryTable } from '../database/schema.ts'

/** What a key belongs to: the same key elsewhere, or of another account, is another key. */
export interface RetryPlace {
  readonly accountId: number
  readonly path: string
  readonly keyHash: string
}

export interface RememberedRequest {
  readonly bodySha256: string
  readonly madeId: number
}

export function findRetry(db: Db, place: RetryPlace, now: number): Promise<RememberedRequest | undefined> {
  return db
    .selectFrom('retry')
    .select(['body_sha256 as bodySha256', 'made_id as madeId'])
    .where('account_id', '=', place.accountId)
    .where('path', '=', place.path)
    .where('key_hash', '=', place.keyHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Takes the place of an expired row, never of a living one: the caller has found none in the same transaction. */
export async function insertRetry(tx: Tx, row: RetryTable, now: number): Promise<void> {
  const { body_sha256, made_id, expires_at } = row
  const inserting = tx
    .insertInto('retry')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'path', 'key_hash'])
        .doUpdateSet({ body_sha256, made_id, expires_at })
        .where('retry.expires_at', '<=', now),
    )
  await later(tx, inserting.compile())
}

/** @returns how many there were. */
export async function deleteExpiredKeys(db: Db, now: number): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('retry').where('expires_at', '<=', now).executeTakeFirst()
  return Number(numDeletedRows)
}
