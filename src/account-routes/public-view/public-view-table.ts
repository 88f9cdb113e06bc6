// SQL of the table route_shown: public views of routes that are not private, used only while they are current.
import { sql, type Insertable, type RawBuilder } from 'kysely'
import type { Box } from '../../shared/geo/measures.ts'
import type { Db, Tx } from '../../database/database.ts'
import { later } from '../../database/together.ts'
import type { RoutePublicViewTable, Visibility } from '../../database/route-schema.ts'
import { boxOf, measuresOf, type BoxColumns, type PublicMeasures } from '../gpx/measured.ts'
import { filtered, unlist, type RouteFilters } from '../route-table.ts'

/** A route as everyone except its owner sees it: it contains nothing that a zone hides. */
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
  /** When its owner was suspended; since then only staff can see it. */
  readonly suspendedAt: number | null
  /** Changes with the gpx and the zones that it was derived from. Internal; never shown to others. */
  readonly version: string
}

/** The inputs of a row that has more than lines. */
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
 * The zones' revision as stored in the row of a view: negated, because rows from before migration 0010 have it
 * unchanged. They were clipped by circles that revealed home, so they are never current, and neither are rows that an
 * older node writes during a rolling upgrade.
 */
export const publicRevisionOf = ({ revision }: { readonly revision: number }): number =>
  revision === 0 ? 0 : -revision

/** Both revisions match: the row of the table is derived from the current gpx and zones of `route`. */
export const isCurrentIn = (table: string): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${table}.line_revision`)} = route.line_revision
  and ${sql.ref(`${table}.zones_revision`)} = coalesce(
    (select -zone_set.revision from zone_set where zone_set.account_id = route.account_id), 0))`

/**
 * In addition, the further shared data is from the same revisions and matches the route's current settings; older
 * nodes do not update it.
 */
const isCurrent = sql<boolean>`(${isCurrentIn('route_shown')} and (route.shares = '' or route_shown.shared_of =
  route_shown.line_revision || ':' || route_shown.zones_revision || ':' || route.shares))`

/** The routes that others can see now: with the link, or because they are public. */
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
  /** Null if only the lines are shared. */
  readonly shared: Uint8Array | null
  readonly version: string
}

/** Undefined in the same cases as `findPublicView`. */
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

/** The account's public routes, newest first; of a suspended account only for staff. */
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

/** For each of these public lines, the account's public routes with the same line. */
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

/** Routes that others may see but cannot, until their view is derived again; of one account, or of all. */
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

/**
 * Stores nothing for a route that has been deleted or made private in the meantime, and nothing that is no longer
 * shared.
 */
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

/** Deletes what was shared beyond the lines; the lines stay. */
export async function deleteShared(db: Db, routeId: number): Promise<void> {
  await db
    .updateTable('route_shown')
    .set({ shared: null, shared_of: null })
    .where('route_id', '=', routeId)
    .execute()
}
