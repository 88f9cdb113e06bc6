// SQL that adds public routes to the list, from their public views.
import { sql } from 'kysely'
import type { Db } from '../../database/database.ts'
import { boxColumns, boxOf, measuresOf, type BoxColumns } from '../gpx/measured.ts'
import { isCurrentIn, selectCurrent } from '../public-view/public-view-table.ts'
import { unlist } from '../route-table.ts'

/** The current public view of a route, with the revisions it was made from. */
export interface Unlisted extends BoxColumns {
  readonly id: number
  readonly createdAt: number
  readonly miles: number
  readonly measures: string
  readonly lines: Uint8Array
  readonly lineRevision: string
  readonly zonesRevision: number
}

const selectShown = (db: Db) =>
  selectCurrent(db)
    .where('route.visibility', '=', 'public')
    .select([
      'route.id',
      'route.created_at as createdAt',
      'route_shown.miles',
      'route_shown.measures',
      'route_shown.lines',
      'route_shown.west',
      'route_shown.south',
      'route_shown.east',
      'route_shown.north',
      'route_shown.line_revision as lineRevision',
      'route_shown.zones_revision as zonesRevision',
    ])

/** Public routes whose row in the list is missing or out of date, ordered by id; of one account or of all. */
export async function listUnlisted(
  db: Db,
  { accountId, after }: { readonly accountId?: number | undefined; readonly after: number },
  limit: number,
): Promise<number[]> {
  const rows = await selectCurrent(db)
    .select('route.id')
    .$if(accountId === undefined, (query) =>
      query.where('route.visibility', '=', 'public').where('route.id', '>', after),
    )
    // Written so that the database uses the index by account, not the one over all public routes.
    .$if(accountId !== undefined, (query) =>
      query
        .where('route.account_id', '=', accountId ?? 0)
        .where(sql<boolean>`coalesce(route.visibility, '') = 'public' and route.id + 0 > ${after}`),
    )
    .leftJoin('public_route', 'public_route.route_id', 'route.id')
    .where((condition) =>
      condition.or([
        condition('public_route.route_id', 'is', null),
        sql<boolean>`not ${isCurrentIn('public_route')}`,
      ]),
    )
    .orderBy('route.id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export const findUnlisted = (db: Db, routeId: number): Promise<Unlisted | undefined> =>
  selectShown(db).where('route.id', '=', routeId).executeTakeFirst()

/** Lists the route, unless it has changed since it was read. The trails that it uses are found later. */
export function saveListing(db: Db, route: Unlisted, sketch: string): Promise<void> {
  const { id, createdAt, miles, measures, lineRevision, zonesRevision } = route
  const { climb } = measuresOf(measures)
  const row = {
    created_at: createdAt,
    miles,
    ascent: climb ?? -1,
    ...boxColumns(boxOf(route)),
    line_revision: lineRevision,
    zones_revision: zonesRevision,
    has_trails: 0,
    sketch,
  }
  return db.transaction().execute(async (tx) => {
    const still = await selectCurrent(tx)
      .select('route.id')
      .where('route.id', '=', id)
      .where('route.visibility', '=', 'public')
      .where('route_shown.line_revision', '=', lineRevision)
      .where('route_shown.zones_revision', '=', zonesRevision)
      .executeTakeFirst()
    if (!still) return
    await unlist(tx, id) // also its trails, which were found for the previous line
    await tx
      .insertInto('public_route')
      .values({ route_id: id, ...row })
      .execute()
  })
}
