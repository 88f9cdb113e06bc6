// Public routes for maps, as others see them: what route_shown holds, and only while it is current (shown.ts).
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
  /** Height and width of the smallest box that is worth drawing, together. */
  readonly minDegrees: number
  readonly limit: number
}

export interface RouteOnMap {
  readonly id: number
  /** Of the revisions that its line is made of. */
  readonly key: string
  readonly pointCount: number
  readonly properties: Readonly<Record<string, string | number>>
  /** Undefined where the route is no longer public, or its line or the zones have changed since. */
  readonly read: () => Promise<readonly Line[] | undefined>
}

const isPublic = sql<boolean>`route.visibility = 'public'`

/** The current lines of a public route of these revisions, packed. */
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

/** Routes that are shown with a link alone are among the candidates, too, and those whose row is not current. */
const candidatesOfOne = 2

const spread = sql<number>`(route_shown.north - route_shown.south + abs(route_shown.east - route_shown.west))`

/** Whose shown box meets the other, the widest first: read from the index alone, since most tiles are met by few of many. */
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

/** @returns what finds public routes for a tile: no other is ever among them. */
export function createPublicViewsWithin(db: Db) {
  return async (sought: PublicViewsWithin): Promise<RouteOnMap[]> => {
    const candidates = await findCandidates(db, sought)
    if (candidates.length === 0) return []
    await yieldTurn() // where many routes are near, each of the two takes some milliseconds
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
