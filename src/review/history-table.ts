// SQL of an image's history, as it is shown.
import type { Db } from '../database/database.ts'
import type { ImageState } from '../database/schema.ts'

export interface HistoryRow {
  readonly position: number
  readonly at: number
  readonly actorId: number
  readonly displayName: string
  readonly from: ImageState | null
  readonly to: ImageState
  readonly reason: string | null
  readonly note: string | null
}

/** Oldest first, from after that position. */
export function listHistory(
  db: Db,
  imageId: number,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<HistoryRow[]> {
  return db
    .selectFrom('image_history')
    .innerJoin('account', 'account.id', 'image_history.actor_id')
    .select([
      'image_history.position',
      'image_history.at',
      'image_history.actor_id as actorId',
      'account.display_name as displayName',
      'image_history.from_state as from',
      'image_history.to_state as to',
      'image_history.reason',
      'image_history.note',
    ])
    .where('image_history.image_id', '=', imageId)
    .where('image_history.position', '>', after)
    .orderBy('image_history.position')
    .limit(limit)
    .execute()
}
