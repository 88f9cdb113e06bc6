// SQL of what an account may do with photos: its status, and what it stores.
import { sql } from 'kysely'
import type { Db } from '../database/database.ts'

/** What an account stores that counts against its quotas. */
export interface Usage {
  readonly pendingImages: number
  readonly bytes: number
}

/** The submitter, with the account's current status. */
export interface Submitter extends Usage {
  /** Not deleted, and not suspended. */
  readonly mayAct: boolean
  readonly isTrusted: boolean
}

/**
 * Pending images are counted, which their quota bounds, while the sum of the bytes would be over all that the account ever
 * sent.
 */
export async function findSubmitter(db: Db, accountId: number): Promise<Submitter | undefined> {
  const { rows } = await sql<{
    bytes: number
    pending: number
    trusted: number | null
    left: number | null
  }>`select
      image_bytes as bytes, trusted_at as trusted, coalesce(deleted_at, suspended_at) as "left",
      (select count(*) from image where submitter_id = account.id and state = 'pending') as pending
    from account where id = ${accountId}`.execute(db)
  const [row] = rows
  return (
    row && {
      pendingImages: row.pending,
      bytes: row.bytes,
      mayAct: row.left === null,
      isTrusted: row.trusted !== null,
    }
  )
}

export async function usageOf(db: Db, accountId: number): Promise<Usage> {
  return (await findSubmitter(db, accountId)) ?? { pendingImages: 0, bytes: 0 }
}

/** Without the pending images. */
export async function bytesOf(db: Db, accountId: number): Promise<number> {
  const { rows } = await sql<{
    bytes: number
  }>`select image_bytes as bytes from account where id = ${accountId}`.execute(db)
  return rows[0]?.bytes ?? 0
}
