// SQL of the flags that are made once: the lines of trails, and how far from them the images are.
import type { Db, Tx } from '../../database/database.ts'
import { padded } from '../../database/prepared-rows.ts'
import type { ImageDistanceTable } from '../../database/review-schema.ts'

/** What changes in the row of a trail whenever its line may have. */
export interface TrailMark {
  readonly id: number
  readonly updated_at: number
  readonly miles: number | null
  readonly west: number | null
  readonly south: number | null
  readonly east: number | null
  readonly north: number | null
}

/** For those trails that have a line. */
export function listTrailMarks(db: Db, trailIds: readonly number[]): Promise<TrailMark[]> {
  return db
    .selectFrom('trail')
    .innerJoin('trail_line', 'trail_line.trail_id', 'trail.id')
    .select([
      'trail.id',
      'trail.updated_at',
      'trail.miles',
      'trail.west',
      'trail.south',
      'trail.east',
      'trail.north',
    ])
    .where('trail.id', 'in', [...trailIds])
    .execute()
}

export async function findTrailGeometry(db: Db, trailId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('trail_line')
    .select('geometry')
    .where('trail_id', '=', trailId)
    .executeTakeFirst()
  return row?.geometry
}

/** Images that still exist and are not in the trash. */
export async function listPresent(db: Db, ids: readonly number[]): Promise<Set<number>> {
  const rows = await db
    .selectFrom('image')
    .select('id')
    .where('id', 'in', padded(ids))
    .where('state', '!=', 'deleted')
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** For one image at a time, which must still exist. */
export async function saveDistance(tx: Tx, { image_id, ...measured }: ImageDistanceTable): Promise<void> {
  await tx
    .insertInto('image_distance')
    .values({ image_id, ...measured })
    .onConflict((conflict) => conflict.column('image_id').doUpdateSet(measured))
    .execute()
}
