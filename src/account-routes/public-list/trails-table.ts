// SQL of the trails that public routes use: pending comparisons and their results.
import { sql } from 'kysely'
import type { Box } from '../../shared/geo/measures.ts'
import type { Db } from '../../database/database.ts'
import { meets } from '../../database/matching.ts'
import { boxOf, type BoxColumns } from '../gpx/measured.ts'
import { selectCurrent } from '../public-view/public-view-table.ts'

/** The same version as on maps: it changes with the line, but not with every photo. */
const lineVersion = sql<string>`concat_ws(':', trail.updated_at, trail.west, trail.south, trail.east, trail.north)`

export interface ChangedTrail {
  readonly id: number
  readonly lineVersion: string
  /** Undefined if the trail no longer has a line. */
  readonly box: Box | undefined
}

/** Trails whose line has changed since routes were compared with it. */
export async function listChangedTrails(db: Db, limit: number): Promise<ChangedTrail[]> {
  const rows = await db
    .selectFrom('trail')
    .leftJoin('trail_routed', 'trail_routed.trail_id', 'trail.id')
    .select([
      'trail.id',
      lineVersion.as('lineVersion'),
      'trail.west',
      'trail.south',
      'trail.east',
      'trail.north',
    ])
    .where((condition) =>
      condition.or([
        condition.and([
          condition('trail_routed.trail_id', 'is', null),
          condition('trail.west', 'is not', null),
        ]),
        sql<boolean>`trail_routed.line_version <> ${lineVersion}`,
      ]),
    )
    .limit(limit)
    .execute()
  return rows.map(({ id, lineVersion: version, ...box }) => ({ id, lineVersion: version, box: boxOf(box) }))
}

/** Listed routes that may use a trail in the box, which is enlarged for this. In the order of a covering index. */
export async function listRoutesIn(db: Db, box: Box): Promise<number[]> {
  const rows = await db
    .selectFrom('public_route')
    .select('route_id as id')
    .where(meets('public_route', box))
    .orderBy('created_at')
    .execute()
  return rows.map(({ id }) => id)
}

/** Routes that used the trail when they were last compared. */
export async function listRoutesOf(db: Db, trailId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('route_trail')
    .select('route_id as id')
    .where('trail_id', '=', trailId)
    .execute()
  return rows.map(({ id }) => id)
}

/** Marks the routes for comparison. */
export async function forgetComparison(db: Db, routeIds: readonly number[]): Promise<void> {
  await db.updateTable('public_route').set({ has_trails: 0 }).where('route_id', 'in', routeIds).execute()
}

/** Records that every route has been compared with this line, or is marked for it. */
export async function saveLineVersion(
  db: Db,
  { id, lineVersion: version }: Pick<ChangedTrail, 'id' | 'lineVersion'>,
): Promise<void> {
  await sql`insert into trail_routed (trail_id, line_version) select trail.id, ${version} from trail
    where trail.id = ${id}
    on conflict (trail_id) do update set line_version = excluded.line_version`.execute(db)
}

export interface ComparedRoute {
  readonly id: number
  readonly createdAt: number
  readonly miles: number
  readonly ascent: number
  readonly box: Box | undefined
  readonly lineRevision: string
  readonly zonesRevision: number
}

type ComparedRow = BoxColumns & Omit<ComparedRoute, 'box'>

const comparedOf = ({ west, south, east, north, ...row }: ComparedRow): ComparedRoute => ({
  ...row,
  box: boxOf({ west, south, east, north }),
})

/** Listed routes whose trails are not known yet, ordered by id. */
export async function listWithoutTrails(db: Db, after: number, limit: number): Promise<ComparedRoute[]> {
  const rows = await db
    .selectFrom('public_route')
    .select([
      'route_id as id',
      'created_at as createdAt',
      'miles',
      'ascent',
      'west',
      'south',
      'east',
      'north',
      'line_revision as lineRevision',
      'zones_revision as zonesRevision',
    ])
    .where(sql<boolean>`has_trails = 0`)
    .where('route_id', '>', after)
    .orderBy('route_id')
    .limit(limit)
    .execute()
  return rows.map(comparedOf)
}

/** The packed lines of the route, if they are still its public view. */
export async function findLines(
  db: Db,
  { id, lineRevision, zonesRevision }: ComparedRoute,
): Promise<Uint8Array | undefined> {
  const row = await selectCurrent(db)
    .select('route_shown.lines')
    .where('route.id', '=', id)
    .where('route_shown.line_revision', '=', lineRevision)
    .where('route_shown.zones_revision', '=', zonesRevision)
    .executeTakeFirst()
  return row?.lines
}

export interface TrailNearby {
  readonly id: number
  readonly lineVersion: string
  /** GeoJSON. */
  readonly geometry: string
}

export async function listTrailsIn(db: Db, box: Box): Promise<Omit<TrailNearby, 'geometry'>[]> {
  return db
    .selectFrom('trail')
    .select(['trail.id', lineVersion.as('lineVersion')])
    .where(meets('trail', box))
    .orderBy('trail.id')
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

/** Does nothing if the route's row has changed: then it is compared again. Leaves out deleted trails. */
export function saveTrails(db: Db, route: ComparedRoute, trailIds: readonly number[]): Promise<void> {
  const { id, createdAt, miles, ascent, lineRevision, zonesRevision } = route
  return db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('public_route')
      .set({ has_trails: 1 })
      .where('route_id', '=', id)
      .where('line_revision', '=', lineRevision)
      .where('zones_revision', '=', zonesRevision)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return
    const before = await tx
      .selectFrom('route_trail')
      .select('trail_id as trailId')
      .where('route_id', '=', id)
      .execute()
    const isSame =
      before.length === trailIds.length && before.every(({ trailId }) => trailIds.includes(trailId))
    if (isSame) return // trails are mostly renamed, and cached responses stay valid
    await tx.deleteFrom('route_trail').where('route_id', '=', id).execute()
    for (const trailId of trailIds)
      await sql`insert into route_trail (trail_id, route_id, created_at, miles, ascent)
        select trail.id, ${id}, ${createdAt}, ${miles}, ${ascent} from trail where trail.id = ${trailId}`.execute(
        tx,
      )
  })
}
