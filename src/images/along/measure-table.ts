// SQL of how far along the line of its trail each photo lies, and of the photos that are still to be measured.
import { sql } from 'kysely'
import type { Db, Tx } from '../../database/database.ts'
import { later } from '../../database/together.ts'
import { requireWritable } from '../../database/read-only.ts'
import { touch } from '../../database/written.ts'
import type { Measured } from './miles-along.ts'

/** The columns of a new image on a trail whose line has this version. If it has changed meanwhile, the background job measures. */
export const alongColumns = (measured: Measured | undefined, lineVersion: number) =>
  measured?.version === lineVersion
    ? { miles_along: measured.miles, along_version: measured.version }
    : { miles_along: null, along_version: 0 }

/** For an image that was just placed. In the same transaction and after its position, whose change clears the old value. */
export async function saveMeasured(
  tx: Tx,
  { imageId, trailId }: { readonly imageId: number; readonly trailId: number },
  { miles, version }: Measured,
): Promise<void> {
  // If the line has changed meanwhile, the background job measures by the new one.
  const saving = sql`update image set miles_along = ${miles}, along_version = ${version} where id = ${imageId}
    and exists (select 1 from trail where trail.id = ${trailId} and trail.line_version = ${version})`
  await later(tx, saving.compile(tx))
}

export interface UnmeasuredImage {
  readonly id: number
  readonly trailId: number
  readonly postedAt: number
  readonly latitude: number | null
  readonly longitude: number | null
  readonly milesAlong: number | null
  /** The version of the line it was measured by; 0 if it was not measured. */
  readonly version: number
}

const selectImages = (db: Db) =>
  db
    .selectFrom('image')
    .select([
      'id',
      'trail_id as trailId',
      'posted_at as postedAt',
      'latitude',
      'longitude',
      'miles_along as milesAlong',
      'along_version as version',
    ])

const isUnmeasured = sql<boolean>`along_version = 0` // a literal, like the one in the index
const isLineNew = sql<boolean>`measured_version <> line_version`

/** Trails whose line has changed since all their photos were measured, ordered by id, after this one. */
export async function listUnmeasuredTrails(db: Db, after: number, limit: number): Promise<number[]> {
  const trails = await db
    .selectFrom('trail')
    .select('id')
    .where(isLineNew)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return trails.map(({ id }) => id)
}

/** All photos of a trail in order of upload, after this one. Includes the trash, since they may be restored. */
export function listPhotosOf(
  db: Db,
  trailId: number,
  after: { readonly postedAt: number; readonly id: number },
  limit: number,
): Promise<UnmeasuredImage[]> {
  return (
    selectImages(db)
      .where('trail_id', '=', trailId)
      // The first condition is redundant, but lets the index start here.
      .where('posted_at', '>=', after.postedAt)
      .where(sql<boolean>`(posted_at > ${after.postedAt} or id > ${after.id})`)
      .orderBy('posted_at')
      .orderBy('id')
      .limit(limit)
      .execute()
  )
}

/** Photos that were placed or moved without being measured, ordered by id. */
export function listUnmeasured(db: Db, after: number, limit: number): Promise<UnmeasuredImage[]> {
  return selectImages(db).where(isUnmeasured).where('id', '>', after).orderBy('id').limit(limit).execute()
}

export interface MeasuredImage {
  readonly image: UnmeasuredImage
  readonly measured: Measured
}

async function saveOne(tx: Tx, { image, measured }: MeasuredImage): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('image')
    .set({ miles_along: measured.miles, along_version: measured.version })
    .where('id', '=', image.id)
    // If the photo was moved meanwhile, it is measured again.
    .where('along_version', '=', image.version)
    .where(sql<boolean>`latitude is not distinct from ${image.latitude}`)
    .where(sql<boolean>`longitude is not distinct from ${image.longitude}`)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n && image.milesAlong !== measured.miles
}

/**
 * One statement, so that cached answers are dropped only once. No event is recorded, because the photos themselves have
 * not changed.
 */
export function saveAllMeasured(db: Db, some: readonly MeasuredImage[]): Promise<void> {
  return db.transaction().execute(async (tx) => {
    await requireWritable(tx)
    const changed: UnmeasuredImage[] = []
    for (const one of some) if (await saveOne(tx, one)) changed.push(one.image)
    const trails = new Set(changed.map(({ trailId }) => trailId))
    await touch(tx, [
      ...(changed.length > 0 ? (['photos'] as const) : []),
      ...changed.map(({ id }) => `image:${id}` as const),
      ...[...trails].map((id) => `trail:${id}` as const),
    ])
  })
}

/** Notes that all photos of these trails are measured, each by that version of its line. */
export function saveTrailsMeasured(
  db: Db,
  trails: readonly { readonly id: number; readonly version: number }[],
): Promise<void> {
  return db.transaction().execute(async (tx) => {
    await requireWritable(tx)
    for (const { id, version } of trails)
      await tx
        .updateTable('trail')
        .set({ measured_version: version })
        .where('id', '=', id)
        .where('line_version', '=', version)
        .execute()
  })
}
