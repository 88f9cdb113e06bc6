// SQL of the flags: lines of trails, near hashes, and the same bytes elsewhere.
import { sql } from 'kysely'
import { nearBands, type Bands } from '../../shared/dhash.ts'
import type { Db } from '../../database/database.ts'

/** What changes whenever the line of a trail may have. */
export interface TrailMark {
  readonly id: number
  readonly mark: string
}

/** Of those of the trails that have a line. */
export async function listTrailMarks(db: Db, trailIds: readonly number[]): Promise<TrailMark[]> {
  const rows = await db
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
  return rows.map(({ id, ...marks }) => ({ id, mark: Object.values(marks).join(' ') }))
}

export async function findTrailGeometry(db: Db, trailId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('trail_line')
    .select('geometry')
    .where('trail_id', '=', trailId)
    .executeTakeFirst()
  return row?.geometry
}

/** The hashes on the trail that may be near one of these. */
export function listHashesNear(
  db: Db,
  trailId: number,
  hashes: readonly Bands[],
): Promise<{ id: number; dhash: string }[]> {
  // Equal values stay in: so there are as many texts of this query as hashes asked for at once, and no more.
  const probes = (index: 0 | 1 | 2 | 3): number[] => hashes.flatMap((bands) => nearBands(bands[index]))
  return db
    .selectFrom('image_hash')
    .select(['image_id as id', 'dhash'])
    .where(({ eb, or, and }) =>
      // The trail in each branch, so that each is a walk of its own index.
      or([
        and([eb('trail_id', '=', trailId), eb('band_0', 'in', probes(0))]),
        and([eb('trail_id', '=', trailId), eb('band_1', 'in', probes(1))]),
        and([eb('trail_id', '=', trailId), eb('band_2', 'in', probes(2))]),
        and([eb('trail_id', '=', trailId), eb('band_3', 'in', probes(3))]),
      ]),
    )
    .execute()
}

/** To the next power of two, with the first once more: a query over a list of any length has few texts then. */
const padded = (ids: readonly number[]): number[] =>
  Array.from({ length: 2 ** Math.ceil(Math.log2(ids.length)) }, (_none, index) => ids[index] ?? ids[0] ?? 0)

/** Those of the images that are there still, and not in the trash. */
export async function listPresent(db: Db, ids: readonly number[]): Promise<Set<number>> {
  const rows = await db
    .selectFrom('image')
    .select('id')
    .where('id', 'in', padded(ids))
    .where('state', '!=', 'deleted')
    .execute()
  return new Set(rows.map(({ id }) => id))
}

export interface Twin {
  readonly sha256: string
  readonly id: number
  readonly trailId: number
}

/** Images that show these bytes, a few of each; those on the trails come first, where the reviewer is limited to some. */
export function listTwins(
  db: Db,
  contents: readonly string[],
  { trails, ofEach }: { readonly trails: ReadonlySet<number> | undefined; readonly ofEach: number },
): Promise<Twin[]> {
  const isFirst =
    trails === undefined ? sql`0` : sql`case when trail_id in (${sql.join([...trails])}) then 0 else 1 end`
  return db
    .selectFrom(
      db
        .selectFrom('image')
        .select([
          'sha256',
          'id',
          'trail_id as trailId',
          sql<number>`row_number() over (partition by sha256 order by ${isFirst}, id)`.as('place'),
        ])
        .where('sha256', 'in', [...contents])
        .where('state', '!=', 'deleted')
        .as('twin'),
    )
    .select(['twin.sha256', 'twin.id', 'twin.trailId'])
    .where('twin.place', '<=', ofEach)
    .orderBy('twin.sha256')
    .orderBy('twin.place')
    .execute()
}
