// SQL of undo: the last decision on an image, and whether anything has happened since.
import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { ImageState } from '../database/schema.ts'
import { readFloor } from '../events/outbox-floor.ts'

export interface HistoryMove {
  readonly position: number
  readonly from: ImageState | null
  readonly to: ImageState
  readonly reason: string | null
}

const columns = ['position', 'from_state as from', 'to_state as to', 'reason'] as const

/** Position of the newest move. */
export async function findNewestPosition(db: Db, imageId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('image_history')
    .select('position')
    .where('image_id', '=', imageId)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.position
}

/** The newest move that is not an undo. */
export function findLastDecision(
  db: Db,
  imageId: number,
  undoReason: string,
): Promise<HistoryMove | undefined> {
  return db
    .selectFrom('image_history')
    .select(columns)
    .where('image_id', '=', imageId)
    .where(({ eb, or }) => or([eb('reason', 'is', null), eb('reason', '!=', undoReason)]))
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function countMovesAfter(db: Db, imageId: number, position: number): Promise<number> {
  const { moves } = await db
    .selectFrom('image_history')
    .select(({ fn }) => fn.countAll<number>().as('moves'))
    .where('image_id', '=', imageId)
    .where('position', '>', position)
    .executeTakeFirstOrThrow()
  return moves
}

/**
 * Whether title, caption or location were changed after the move at that position. This is known from the events, or from
 * the times if the events were deleted because of their age: equal times count as later.
 */
export async function isUpdatedAfter(db: Db, imageId: number, position: number): Promise<boolean> {
  const row = await db
    .selectFrom('outbox')
    .select('position')
    // In these words, and not as a parameter: it is how the index of just these is known to hold them all.
    .where(sql<boolean>`type = 'image.updated'`)
    .where('image_id', '=', imageId)
    .where('position', '>', position)
    .limit(1)
    .executeTakeFirst()
  if (row !== undefined) return true
  return position < (await readFloor(db)) && isSetSince(db, imageId, position)
}

async function isSetSince(db: Db, imageId: number, position: number): Promise<boolean> {
  const row = await db
    .selectFrom('image_history')
    .innerJoin('image', 'image.id', 'image_history.image_id')
    .select('image.id')
    .where('image_history.position', '=', position)
    .where('image.id', '=', imageId)
    .whereRef('image.details_set_at', '>=', 'image_history.at')
    .executeTakeFirst()
  return row !== undefined
}
