// SQL of the table route_shown: what others get of routes that are not private, and only while it is current.
import { sql, type Insertable, type RawBuilder } from 'kysely'
import type { Box } from '../../shared/geo/measures.ts'
import type { Db, Tx } from '../../database/database.ts'
import { later } from '../../database/together.ts'
import type { RoutePublicViewTable, Visibility } from '../../database/route-schema.ts'
import { boxOf, measuresOf, type BoxColumns, type PublicMeasures } from '../gpx/measured.ts'
import { filtered, unlist, type RouteFilters } from '../route-table.ts'

/** A route as everybody but its owner sees it: nothing in it comes from what a zone hides. */
export interface RoutePublicView {
  readonly id: number
  readonly accountId: number
  readonly displayName: string
  readonly name: string
  readonly description: string
  readonly visibility: Visibility
  readonly linkHash: string | null
  /** Decimal text. */
  readonly length: string
  readonly measures: PublicMeasures
  readonly box: Box | undefined
  readonly geometryHash: string | null
  readonly createdAt: number
  /** When its owner was suspended; from then on it is for staff alone. */
  readonly suspendedAt: number | null
  /** Of the gpx and the zones that it was derived from; nothing that others are to see. */
  readonly version: string
}

/** What a row with more than lines was made of. */
export const sharedOfText = (lineRevision: string, zonesRevision: number, shares: string): string =>
  `${lineRevision}:${zonesRevision}:${shares}`

const columns = [
  'route.id',
  'route.account_id as accountId',
  'account.display_name as displayName',
  'account.suspended_at as suspendedAt',
  'route.name',
  'route.description',
  'route.visibility',
  'route.link_hash as linkHash',
  'route.created_at as createdAt',
  'route_shown.length',
  'route_shown.measures',
  'route_shown.west',
  'route_shown.south',
  'route_shown.east',
  'route_shown.north',
  'route_shown.geometry_hash as geometryHash',
  'route_shown.line_revision as lineRevision',
  'route_shown.zones_revision as zonesRevision',
  'route.shares',
] as const

interface Revisions {
  readonly lineRevision: string
  readonly zonesRevision: number
  readonly shares: string
}

type ShownRow = BoxColumns &
  Revisions &
  Omit<RoutePublicView, 'measures' | 'box' | 'version'> & { readonly measures: string }

const versionOf = ({ lineRevision, zonesRevision, shares }: Revisions): string =>
  sharedOfText(lineRevision, zonesRevision, shares)

const shownOf = ({
  measures,
  west,
  south,
  east,
  north,
  lineRevision,
  zonesRevision,
  shares,
  ...row
}: ShownRow): RoutePublicView => ({
  ...row,
  version: versionOf({ lineRevision, zonesRevision, shares }),
  measures: measuresOf(measures),
  box: boxOf({ west, south, east, north }),
})

/**
 * What the row of a route was derived under. It is the revision of the zones with the sign turned: rows from before
 * migration 0010 were clipped by circles that betrayed home, and were stored under the revision as it is. So none of
 * them counts any more, nor does one that an older node writes while nodes are replaced one by one.
 */
export const publicRevisionOf = ({ revision }: { readonly revision: number }): number =>
  revision === 0 ? 0 : -revision

/** Both revisions are the present ones: the row of the table, beside that of `route`, is of this gpx and of these zones. */
export const isCurrentIn = (table: string): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${table}.line_revision`)} = route.line_revision
  and ${sql.ref(`${table}.zones_revision`)} = coalesce(
    (select -zone_set.revision from zone_set where zone_set.account_id = route.account_id), 0))`

/** And what is shared beyond the lines is of the same, and is what the route shares now: an older node leaves that as it was. */
const isCurrent = sql<boolean>`(${isCurrentIn('route_shown')} and (route.shares = '' or route_shown.shared_of =
  route_shown.line_revision || ':' || route_shown.zones_revision || ':' || route.shares))`

/** What of routes others may see at this moment: with the link, or where it is public. */
export const selectCurrent = (db: Db) =>
  db
    .selectFrom('route')
    .innerJoin('route_shown', 'route_shown.route_id', 'route.id')
    .innerJoin('account', 'account.id', 'route.account_id')
    .where('route.visibility', '!=', 'private')
    .where(isCurrent)

export async function findPublicView(db: Db, routeId: number): Promise<RoutePublicView | undefined> {
  const row = await selectCurrent(db).select(columns).where('route.id', '=', routeId).executeTakeFirst()
  return row && shownOf(row)
}

export interface PackedLines {
  readonly packed: Uint8Array
  /** Null where only the lines are shared. */
  readonly shared: Uint8Array | null
  readonly version: string
}

/** Undefined where `findShown` is. */
export async function findPublicLines(db: Db, routeId: number): Promise<PackedLines | undefined> {
  const row = await selectCurrent(db)
    .select([
      'route_shown.lines',
      'route_shown.line_revision as lineRevision',
      'route_shown.zones_revision as zonesRevision',
      'route.shares',
      'route_shown.shared',
    ])
    .where('route.id', '=', routeId)
    .executeTakeFirst()
  return row && { packed: row.lines, shared: row.shares === '' ? null : row.shared, version: versionOf(row) }
}

/** The account's public routes, newest first; those of a suspended account for staff alone. */
export async function listPublicViews(
  db: Db,
  { accountId, isForStaff }: { readonly accountId: number; readonly isForStaff: boolean },
  filters: RouteFilters,
  limit: number,
): Promise<RoutePublicView[]> {
  const theirs = selectCurrent(db)
    .select(columns)
    .where('route.account_id', '=', accountId)
    .where('route.visibility', '=', 'public')
    .$if(!isForStaff, (query) => query.where('account.suspended_at', 'is', null))
  const rows = await filtered(theirs, filters, 'route_shown')
    .orderBy('route.created_at', 'desc')
    .orderBy('route.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(shownOf)
}

/** For each of these lines, as shown, the account's public routes along it. */
export function findEqualPublicView(
  db: Db,
  accountId: number,
  geometryHashes: readonly string[],
): Promise<{ id: number; geometryHash: string | null }[]> {
  if (geometryHashes.length === 0) return Promise.resolve([])
  return selectCurrent(db)
    .select(['route.id', 'route_shown.geometry_hash as geometryHash'])
    .where('route.account_id', '=', accountId)
    .where('route.visibility', '=', 'public')
    .where('route_shown.geometry_hash', 'in', geometryHashes)
    .orderBy('route.created_at')
    .orderBy('route.id')
    .execute()
}

/** Routes that others may see and nobody can, until they are derived anew; of one account, or of all. */
export async function listStale(
  db: Db,
  { accountId, visibility }: { readonly accountId?: number | undefined; readonly visibility?: 'public' },
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('route')
    .leftJoin('route_shown', 'route_shown.route_id', 'route.id')
    .select('route.id')
    .where('route.visibility', 'in', visibility === undefined ? ['link', 'public'] : [visibility])
    .$if(accountId !== undefined, (query) => query.where('route.account_id', '=', accountId ?? 0))
    .where((condition) =>
      condition.or([condition('route_shown.route_id', 'is', null), sql<boolean>`not ${isCurrent}`]),
    )
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Keeps nothing of a route that was deleted or made private meanwhile, and nothing that is no longer shared. */
export async function savePublicView(db: Db, row: Insertable<RoutePublicViewTable>): Promise<void> {
  const { route_id: id, line_revision: revision, zones_revision: zones } = row
  await db.transaction().execute(async (tx) => {
    const route = await tx
      .selectFrom('route')
      .select('shares')
      .where('id', '=', id)
      .where('visibility', '!=', 'private')
      .executeTakeFirst()
    if (!route) return
    const isShared = row.shared_of === sharedOfText(revision, zones, route.shares)
    const kept = isShared ? row : { ...row, shared: null, shared_of: null }
    const { route_id: _, ...columnsOfRow } = kept
    await tx
      .insertInto('route_shown')
      .values(kept)
      .onConflict((conflict) => conflict.column('route_id').doUpdateSet(columnsOfRow))
      .execute()
  })
}

export async function deletePublicViews(tx: Tx, routeId: number): Promise<void> {
  await unlist(tx, routeId)
  await later(tx, tx.deleteFrom('route_shown').where('route_id', '=', routeId).compile())
}

/** What was shared beyond the lines; the lines stay. */
export async function deleteShared(db: Db, routeId: number): Promise<void> {
  await db
    .updateTable('route_shown')
    .set({ shared: null, shared_of: null })
    .where('route_id', '=', routeId)
    .execute()
}
