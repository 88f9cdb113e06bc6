// SQL of what is still to be read from the originals of photos from older versions (column image.unread).
import { sql } from 'kysely'
import type { Db, Tx } from '../../database/database.ts'
import { requireWritable } from '../../database/read-only.ts'
import { touch } from '../../database/written.ts'
import type { CaptureUpdate } from './sent-capture.ts'

const isUnread = sql<boolean>`unread != ''` // a literal, as in the index

export interface UnreadImage {
  readonly id: number
  readonly trailId: number
  readonly sha256: string
  readonly bytes: number
  readonly lat: string
  readonly lon: string
  /** Values of unread.ts. */
  readonly unread: string
}

/** The next ones by id; including those in the trash, which may be restored. */
export function listUnread(db: Db, after: number, limit: number): Promise<UnreadImage[]> {
  return db
    .selectFrom('image')
    .select(['id', 'trail_id as trailId', 'sha256', 'bytes', 'lat', 'lon', 'unread'])
    .where(isUnread)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export async function countUnread(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('image')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(isUnread)
    .executeTakeFirstOrThrow()
  return count
}

export interface ReadImage {
  readonly image: UnreadImage
  readonly update: CaptureUpdate
}

async function saveOne(tx: Tx, { image, update }: ReadImage): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('image')
    .set({ ...update, unread: '' })
    .where('id', '=', image.id)
    // If the photo was changed or moved meanwhile, it is read again.
    .where('unread', '=', image.unread)
    .where('lat', '=', image.lat)
    .where('lon', '=', image.lon)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * All in one statement, so that cached answers are dropped only once. No event is recorded, because the photos
 * themselves have not changed.
 * @returns the ids of those that were still unread.
 */
export function saveRead(db: Db, some: readonly ReadImage[]): Promise<ReadonlySet<number>> {
  return db.transaction().execute(async (tx) => {
    await requireWritable(tx)
    const saved = new Set<number>()
    for (const one of some) if (await saveOne(tx, one)) saved.add(one.image.id)
    await touch(tx, [
      'photos',
      ...some.map(({ image }) => `image:${image.id}` as const),
      ...some.map(({ image }) => `trail:${image.trailId}` as const),
    ])
    return saved
  })
}
