// Public routes for maps: the current rows of route_shown.
import { sql } from 'kysely'
import { yieldTurn } from '../../shared/yielding.ts'
import type { Box } from '../../shared/geo/measures.ts'
import type { Line } from '../../shared/geo/points.ts'
import type { Db } from '../../database/database.ts'
import { meets } from '../../database/matching.ts'
import { unpackLines } from './line-blob.ts'
import { measuresOf } from '../gpx/measured.ts'
import { selectCurrent } from './public-view-table.ts'

export interface PublicViewsWithin {
  readonly box: Box
  /** Height plus width of the smallest box that is worth drawing. */
  readonly minDegrees: number
  readonly limit: number
}

export interface RouteOnMap {
  readonly id: number
  /** The revisions of its line. */
  readonly key: string
  readonly pointCount: number
  readonly properties: Readonly<Record<string, string | number>>
  /** Undefined if the route is no longer public, or its line or the zones have changed since. */
  readonly read: () => Promise<readonly Line[] | undefined>
}

const isPublic = sql<boolean>`route.visibility = 'public'`

/** The packed current lines of a public route with these revisions. */
async function findPublicLines(
  db: Db,
  routeId: number,
  { lineRevision, zonesRevision }: { readonly lineRevision: string; readonly zonesRevision: number },
): Promise<Uint8Array | undefined> {
  const row = await selectCurrent(db)
    .select('route_shown.lines')
    .where('route.id', '=', routeId)
    .where(isPublic)
    .where('route_shown.line_revision', '=', lineRevision)
    .where('route_shown.zones_revision', '=', zonesRevision)
    .executeTakeFirst()
  return row?.lines
}

/** The candidates also include routes that are visible only with a link, and routes whose row is not current. */
const candidatesOfOne = 2

const spread = sql<number>`(route_shown.north - route_shown.south + abs(route_shown.east - route_shown.west))`

/**
 * Views whose box intersects the given one, widest first. Read only from the index, since most tiles intersect few of
 * many.
 */
async function findCandidates(db: Db, { box, minDegrees, limit }: PublicViewsWithin): Promise<number[]> {
  const rows = await db
    .selectFrom('route_shown')
    .select('route_id as id')
    .where(meets('route_shown', box))
    .where(sql<boolean>`${spread} >= ${minDegrees}`)
    .orderBy(spread, 'desc')
    .orderBy('route_id')
    .limit(candidatesOfOne * limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** @returns a function that finds public routes for a tile, and never any others. */
export function createPublicViewsWithin(db: Db) {
  return async (sought: PublicViewsWithin): Promise<RouteOnMap[]> => {
    const candidates = await findCandidates(db, sought)
    if (candidates.length === 0) return []
    await yieldTurn() // with many routes nearby, each query takes some milliseconds
    const rows = await selectCurrent(db)
      .select([
        'route.id',
        'route.account_id as accountId',
        'account.display_name as displayName',
        'route.name',
        'route_shown.miles',
        'route_shown.measures',
        'route_shown.line_revision as lineRevision',
        'route_shown.zones_revision as zonesRevision',
      ])
      .where(isPublic)
      .where('account.suspended_at', 'is', null)
      .where('route.id', 'in', candidates)
      .orderBy(spread, 'desc')
      .orderBy('route.id')
      .limit(sought.limit)
      .execute()
    return rows.map((row) => ({
      id: row.id,
      key: `route:${row.id}:${row.lineRevision}:${row.zonesRevision}`,
      pointCount: measuresOf(row.measures).pointCount,
      properties: {
        routeID: row.id,
        acctID: row.accountId,
        displayName: row.displayName,
        name: row.name,
        lengthMiles: row.miles,
      },
      read: async () => {
        const packed = await findPublicLines(db, row.id, row)
        return packed && unpackLines(packed)
      },
    }))
  }
}
