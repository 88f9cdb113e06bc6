// SQL of the column content.original: where each original is, and those that are still stored beside size lg.
import { sql } from 'kysely'
import type { Db } from '../../database/database.ts'
import { requireWritable } from '../../database/read-only.ts'
import type { OriginalPlace } from '../../database/schema.ts'
import { noteDeletion } from './content-table.ts'
import { saveRenditions, type StoredRendition } from './rendition-table.ts'

/** By other rules it could not be rebuilt, and now it can. */
export async function reconsiderStoredWhole(db: Db, sha256: string): Promise<void> {
  await db
    .updateTable('content')
    .set({ original: 'stored' })
    .where('sha256', '=', sha256)
    .where('original', '=', 'whole')
    .execute()
}

/**
 * From now on the original stays as it came, as it cannot be rebuilt from the size lg that is about to be put there. To be
 * noted before either is written: what has a mark may be losing the original at this moment.
 * @returns false where the content has a mark: then nothing may be written.
 */
export async function noteStoredWhole(db: Db, sha256: string): Promise<boolean> {
  const row = await db
    .updateTable('content')
    .set(({ ref }) => ({
      original: sql<OriginalPlace>`case when ${ref('condemned_at')} is null then 'whole' else ${ref('original')} end`,
    }))
    .where('sha256', '=', sha256)
    .returning('condemned_at')
    .executeTakeFirst()
  return row === undefined || row.condemned_at === null
}

/** Whether the original of a content that there is lies there as it came. */
export async function isStoredAsItCame(db: Db, sha256: string): Promise<boolean> {
  const row = await db
    .selectFrom('content')
    .select('original')
    .where('sha256', '=', sha256)
    .executeTakeFirst()
  return row !== undefined && row.original !== 'rebuilt'
}

/** Says in a copy of the database how a content is stored in a copy of the blobs, where no deletion is under way. */
export async function noteCopied(
  db: Db,
  sha256: string,
  { isRebuilt }: { readonly isRebuilt: boolean },
): Promise<void> {
  await db
    .updateTable('content')
    .set({ original: isRebuilt ? 'rebuilt' : 'stored', condemned_at: null })
    .where('sha256', '=', sha256)
    .where('original', 'in', isRebuilt ? ['stored', 'whole', 'leaving'] : ['rebuilt', 'leaving'])
    .execute()
}

const isStoredTwice = sql<boolean>`original in ('stored', 'leaving')` // a literal, as that of the index

/** A content whose original is stored, or is being deleted, though it may be rebuilt. */
export interface StoredTwice {
  readonly sha256: string
  readonly bytes: number
  readonly original: OriginalPlace
  /** The mark that it has while its original is being deleted. */
  readonly markedAt: number | null
}

/** Those that are not being deleted by the sweep, by hash. */
export function listStoredTwice(db: Db, after: string, limit: number): Promise<StoredTwice[]> {
  return db
    .selectFrom('content')
    .select(['sha256', 'bytes', 'original', 'condemned_at as markedAt'])
    .where(isStoredTwice)
    .where('sha256', '>', after)
    .where(({ eb, or }) => or([eb('original', '=', 'leaving'), eb('condemned_at', 'is', null)]))
    .orderBy('sha256')
    .limit(limit)
    .execute()
}

export async function countStoredTwice(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('content')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(isStoredTwice)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * From now on the original is being deleted, and what it is rebuilt from has its row. The content has the mark of a
 * deletion, which an upload of the same photo waits for.
 * @returns false where it is being deleted with all the rest, or is no longer stored.
 */
export function beginLeaving(db: Db, sha256: string, removed: StoredRendition, at: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await requireWritable(tx)
    const { numUpdatedRows } = await tx
      .updateTable('content')
      .set({ original: 'leaving', condemned_at: at })
      .where('sha256', '=', sha256)
      .where('original', '=', 'stored')
      .where('condemned_at', 'is', null)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return false
    await noteDeletion(tx)
    await saveRenditions(tx, sha256, [removed])
    return true
  })
}

/**
 * Makes the mark of a content new whose original an earlier run did not come to delete.
 * @returns false where another has done so, or the content is gone.
 */
export async function renewMark(
  db: Db,
  { sha256, markedAt }: Pick<StoredTwice, 'sha256' | 'markedAt'>,
  at: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('content')
    .set({ condemned_at: at })
    .where('sha256', '=', sha256)
    .where('original', '=', 'leaving')
    .where('condemned_at', markedAt === null ? 'is' : '=', markedAt)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** The original is where it says, and its mark is lifted, unless it is another's by now. */
export function endLeaving(
  db: Db,
  { sha256, markedAt }: Pick<StoredTwice, 'sha256' | 'markedAt'>,
  original: 'rebuilt' | 'whole',
): Promise<void> {
  return db.transaction().execute(async (tx) => {
    await requireWritable(tx)
    await noteDeletion(tx)
    await tx
      .updateTable('content')
      .set({ original, condemned_at: null })
      .where('sha256', '=', sha256)
      .where(isStoredTwice)
      .where('condemned_at', markedAt === null ? 'is' : '=', markedAt)
      .execute()
  })
}
