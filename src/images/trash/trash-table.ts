// SQL of the trash: images in the state deleted, which keep what they were until they are purged (contract C23).
import { sql } from 'kysely'
import type { Db, Tx } from '../../database/database.ts'
import type { ImageState } from '../../database/schema.ts'
import { countBytes } from '../image-table.ts'

/** What moving an image into the trash and out of it needs to know of it. */
export interface TrashableImage {
  readonly id: number
  readonly trailId: number
  readonly submitterId: number
  readonly sha256: string
  readonly state: ImageState
  /** Of a deleted one: what it was, and since when it is deleted. */
  readonly deletedFrom: ImageState | null
  readonly deletedAt: number | null
}

/**
 * Locks the row until the transaction ends, and reads it: whatever else moves the image comes before this or after it, on
 * every database.
 */
export function lockImage(tx: Tx, id: number): Promise<TrashableImage | undefined> {
  return tx
    .updateTable('image')
    .set(({ ref }) => ({ state: ref('state') }))
    .where('id', '=', id)
    .returning([
      'id',
      'trail_id as trailId',
      'submitter_id as submitterId',
      'sha256',
      'state',
      'deleted_from as deletedFrom',
      'deleted_at as deletedAt',
    ])
    .executeTakeFirst()
}

/** Call with the row locked. */
export async function moveToTrash(
  tx: Tx,
  { id, state }: TrashableImage,
  { by, at }: { readonly by: number; readonly at: number },
): Promise<void> {
  await tx
    .updateTable('image')
    .set({ state: 'deleted', deleted_from: state, deleted_at: at, deleted_by: by })
    .where('id', '=', id)
    .execute()
}

/** Call with the row locked. The mark of an edit was never taken off, and counts again. */
export async function takeOutOfTrash(
  tx: Tx,
  id: number,
  { to, at }: { readonly to: ImageState; readonly at: number },
): Promise<void> {
  await tx
    .updateTable('image')
    .set({ state: to, deleted_from: null, deleted_at: null, deleted_by: null, updated_at: at })
    .where('id', '=', id)
    .execute()
}

/** A place in the order of `listTrash`: deleted last first, equal moments by id. */
export interface TrashCursor {
  readonly deletedAt: number
  readonly id: number
}

export interface TrashFilters {
  /** Deleted after this moment: what is older is as good as gone. */
  readonly deletedAfter: number
  /** Images of this account; undefined for everyone's. */
  readonly submitterId: number | undefined
  /** Of everyone's, only those on these trails and the account's own. */
  readonly reach: { readonly trails: ReadonlySet<number>; readonly submitterId: number } | undefined
  readonly after: TrashCursor | undefined
}

/** A column in a form that no index serves: SQLite would else walk all images of the trails, most of which are there. */
const unindexed = (column: 'image.trail_id' | 'image.submitter_id') => sql<number>`${sql.ref(column)} + 0`

export function listTrash(db: Db, { deletedAfter, submitterId, reach, after }: TrashFilters, limit: number) {
  return (
    db
      .selectFrom('image')
      .innerJoin('trail', 'trail.id', 'image.trail_id')
      .innerJoin('account', 'account.id', 'image.submitter_id')
      .innerJoin('account as deleter', 'deleter.id', 'image.deleted_by')
      .select([
        'image.id',
        'image.trail_id as trailId',
        'trail.name as trailName',
        'image.title',
        'image.caption',
        'image.deleted_from as deletedFrom',
        'image.submitter_id as submitterId',
        'account.display_name as displayName',
        'image.deleted_at as deletedAt',
        'deleter.id as deleterId',
        'deleter.display_name as deleterName',
      ])
      .where('image.deleted_at', '>', deletedAfter) // which only deleted ones have
      // The state says nothing new: with it the index of what the account stores serves, and without it that of the trash.
      .$if(submitterId !== undefined, (query) =>
        query.where('image.submitter_id', '=', submitterId ?? 0).where('image.state', '=', 'deleted'),
      )
      .$if(reach !== undefined, (query) =>
        query.where(({ eb, or }) =>
          or([
            eb(unindexed('image.trail_id'), 'in', [...(reach?.trails ?? [])]),
            eb(unindexed('image.submitter_id'), '=', reach?.submitterId ?? 0),
          ]),
        ),
      )
      .$if(after !== undefined, (query) =>
        query
          .where('image.deleted_at', '<=', after?.deletedAt ?? 0)
          .where(({ eb, or, and }) =>
            or([
              eb('image.deleted_at', '<', after?.deletedAt ?? 0),
              and([eb('image.deleted_at', '=', after?.deletedAt ?? 0), eb('image.id', '<', after?.id ?? 0)]),
            ]),
          ),
      )
      .orderBy('image.deleted_at', 'desc')
      .orderBy('image.id', 'desc')
      .limit(limit)
      .execute()
  )
}

export type TrashRow = Awaited<ReturnType<typeof listTrash>>[number]

/** The first few, after the cursor, that were deleted at this moment or before; in the order of their deletion. */
export async function listOverdue(
  db: Db,
  deletedUntil: number,
  { after, limit }: { readonly after: TrashCursor; readonly limit: number },
): Promise<TrashCursor[]> {
  const rows = await db
    .selectFrom('image')
    .select(['id', 'deleted_at as deletedAt'])
    .where('deleted_at', '<=', deletedUntil)
    .where('deleted_at', '>=', after.deletedAt)
    .where(({ eb, or, and }) =>
      or([
        eb('deleted_at', '>', after.deletedAt),
        and([eb('deleted_at', '=', after.deletedAt), eb('id', '>', after.id)]),
      ]),
    )
    .orderBy('deleted_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id, deletedAt }) => ({ id, deletedAt: deletedAt ?? 0 }))
}

/** With its claim, hash and reports; history and events stay. */
export async function deleteImageRow(tx: Tx, id: number): Promise<void> {
  const gone = await tx
    .deleteFrom('image')
    .where('id', '=', id)
    .returning(['submitter_id as submitterId', 'bytes'])
    .executeTakeFirst()
  if (gone) await countBytes(tx, gone.submitterId, -gone.bytes)
}
