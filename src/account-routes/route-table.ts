// SQL of the tables route and route_gpx: one function per question.
import { sql, type Insertable, type Selectable, type SelectQueryBuilder, type Updateable } from 'kysely'
import type { Box } from '../shared/geo/measures.ts'
import type { Db, Tx } from '../database/database.ts'
import { createHotQuery } from '../database/hot-query.ts'
import { contains, meets } from '../database/matching.ts'
import { preparedFor, preparedInsert, slotsOf } from '../database/prepared-rows.ts'
import { later } from '../database/together.ts'
import type { RouteTable, Visibility } from '../database/route-schema.ts'
import type { Schema } from '../database/schema.ts'
import { boxOf, measuresOf, type PublicMeasures } from './gpx/measured.ts'
import { countRoutes } from './route-usage-table.ts'

/** A route without its gpx. */
export interface Route {
  readonly id: number
  readonly accountId: number
  readonly name: string
  readonly description: string
  /** As stated; null if it is computed. */
  readonly length: string | null
  readonly miles: number
  readonly measures: PublicMeasures
  readonly box: Box | undefined
  readonly geometryHash: string | null
  /** Length of the gpx in UTF-8. */
  readonly gpxBytes: number
  readonly visibility: Visibility
  readonly linkHash: string | null
  readonly linkNonce: string | null
  readonly revision: string
  readonly lineRevision: string
  readonly createdAt: number
  readonly updatedAt: number
  /** As written by `sharesText`. */
  readonly shares: string
}

const columns = [
  'route.id',
  'route.account_id',
  'route.name',
  'route.description',
  'route.length',
  'route.miles',
  'route.measures',
  'route.west',
  'route.south',
  'route.east',
  'route.north',
  'route.geometry_hash',
  'route.gpx_bytes',
  'route.visibility',
  'route.link_hash',
  'route.link_nonce',
  'route.revision',
  'route.line_revision',
  'route.created_at',
  'route.updated_at',
  'route.shares',
] as const

type RouteRow = Omit<Selectable<RouteTable>, 'search' | 'link_token'>

function routeOf(row: RouteRow): Route {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    description: row.description,
    length: row.length,
    miles: row.miles,
    measures: measuresOf(row.measures),
    box: boxOf(row),
    geometryHash: row.geometry_hash,
    gpxBytes: row.gpx_bytes,
    visibility: row.visibility,
    linkHash: row.link_hash,
    linkNonce: row.link_nonce,
    revision: row.revision,
    lineRevision: row.line_revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    shares: row.shares,
  }
}

export async function findRoute(db: Db, id: number): Promise<Route | undefined> {
  const { rows } = await db.executeQuery(
    preparedFor(db, {
      shape: 'route',
      values: [id],
      build: (slot) => db.selectFrom('route').select(columns).where('id', '=', slot(0)),
    }),
  )
  const [row] = rows
  return row && routeOf(row)
}

/** A route in its classic form, with its gpx still packed. */
export interface StoredRoute {
  readonly id: number
  readonly accountId: number
  readonly name: string
  readonly description: string
  readonly length: string | null
  readonly miles: number
  readonly revision: string
  readonly createdAt: number
  readonly gpx: Uint8Array
}

const selectStored = (db: Db) =>
  db
    .selectFrom('route')
    .innerJoin('route_gpx', 'route_gpx.route_id', 'route.id')
    .select([
      'route.id',
      'route.account_id as accountId',
      'route.name',
      'route.description',
      'route.length',
      'route.miles',
      'route.revision',
      'route.created_at as createdAt',
      'route_gpx.gpx',
    ])

/** Maximum gpx length that is cached with its row. */
const maxCachedBytes = 8 * 1024

/**
 * Used by every read of a single route.
 * @param keep how many routes with a short gpx are cached until the next commit.
 */
export const createStoredRouteQuery = (db: Db, { keep = 0 }: { readonly keep?: number } = {}) =>
  createHotQuery<StoredRoute, 'id'>(
    db,
    (parameter) => selectStored(db).where('route.id', '=', parameter('id')),
    { keep, isSmall: ({ gpx }) => gpx.length <= maxCachedBytes },
  )

/** In the order of the ids given. */
export async function findStoredRoutes(db: Db, ids: readonly number[]): Promise<StoredRoute[]> {
  const rows = await selectStored(db).where('route.id', 'in', ids).execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined)
}

export async function findGpx(db: Db, routeId: number): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom('route_gpx')
    .select('gpx')
    .where('route_id', '=', routeId)
    .executeTakeFirst()
  return row?.gpx
}

/** The members of a set, from the index alone: oldest first. */
export interface RouteOfSet {
  readonly id: number
  readonly revision: string
  readonly gpxBytes: number
}

export function listSet(db: Db, accountId: number): Promise<RouteOfSet[]> {
  return db
    .selectFrom('route')
    .select(['id', 'revision', 'gpx_bytes as gpxBytes'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function isRouteIdFree(db: Db, id: number): Promise<boolean> {
  const { rows } = await sql`select 1 from route where id = ${id}`.execute(db)
  return rows.length === 0
}

/** The ID must be free. Counts the route for its account. */
export async function insertRoute(tx: Tx, route: Insertable<RouteTable>, gpx: Uint8Array): Promise<void> {
  await later(tx, preparedInsert(tx, 'route', route))
  await later(tx, preparedInsert(tx, 'route_gpx', { route_id: route.id, gpx }))
  await countRoutes(tx, route.account_id, { routes: 1, bytes: route.gpx_bytes })
}

export type RouteUpdate = Omit<Updateable<RouteTable>, 'id' | 'account_id' | 'created_at'>

export async function updateRoute(
  tx: Tx,
  { id, accountId, gpxBytes }: Pick<Route, 'id' | 'accountId' | 'gpxBytes'>,
  update: RouteUpdate,
  gpx: Uint8Array | undefined,
): Promise<void> {
  await countRoutes(tx, accountId, { routes: 0, bytes: (update.gpx_bytes ?? gpxBytes) - gpxBytes })
  const changed = Object.keys(update)
  await later(
    tx,
    preparedFor(tx, {
      shape: `update route ${changed.join()}`,
      values: [...Object.values(update), id],
      build: (slot) =>
        tx.updateTable('route').set(slotsOf(changed, slot)).where('id', '=', slot(changed.length)),
    }),
  )
  if (gpx !== undefined)
    await later(tx, tx.updateTable('route_gpx').set({ gpx }).where('route_id', '=', id).compile())
}

/** Takes it out of the list of public routes. */
export async function unlist(tx: Tx, id: number): Promise<void> {
  await later(tx, tx.deleteFrom('route_trail').where('route_id', '=', id).compile())
  await later(tx, tx.deleteFrom('public_route').where('route_id', '=', id).compile())
}

export async function deleteRoute(
  tx: Tx,
  { id, accountId, gpxBytes }: Pick<Route, 'id' | 'accountId' | 'gpxBytes'>,
): Promise<void> {
  await countRoutes(tx, accountId, { routes: -1, bytes: -gpxBytes })
  await unlist(tx, id)
  await later(tx, tx.deleteFrom('route_shown').where('route_id', '=', id).compile())
  await later(tx, tx.deleteFrom('route_gpx').where('route_id', '=', id).compile())
  await later(tx, tx.deleteFrom('route').where('id', '=', id).compile())
}

/** A position in the order of the v2 lists: newest first, then by ID. */
export interface RouteCursor {
  readonly createdAt: number
  readonly id: number
}

export interface RouteFilters {
  /** Case-folded. */
  readonly words?: string | undefined
  readonly minMiles?: number | undefined
  readonly maxMiles?: number | undefined
  readonly within?: Box | undefined
  readonly after?: RouteCursor | undefined
}

export type BoxedTable = 'route' | 'route_shown'

type RouteQuery<Tables extends keyof Schema, Selected> = SelectQueryBuilder<Schema, Tables, Selected>

/** Filters that both lists share; lengths and boxes are those of `table`: the owner's, or the public view's. */
export function filtered<Tables extends keyof Schema, Selected>(
  query: RouteQuery<Tables, Selected>,
  { words, minMiles, maxMiles, within, after }: RouteFilters,
  table: BoxedTable,
): RouteQuery<Tables, Selected> {
  const shown = sql.ref(`${table}.miles`)
  return query
    .$if(words !== undefined, (narrowed) => narrowed.where(contains('route.search', words ?? '')))
    .$if(minMiles !== undefined, (narrowed) => narrowed.where(sql<boolean>`${shown} >= ${minMiles ?? 0}`))
    .$if(maxMiles !== undefined, (narrowed) => narrowed.where(sql<boolean>`${shown} <= ${maxMiles ?? 0}`))
    .$if(within !== undefined, (narrowed) => (within ? narrowed.where(meets(table, within)) : narrowed))
    .$if(after !== undefined, (narrowed) =>
      narrowed
        .where(sql<boolean>`route.created_at <= ${after?.createdAt ?? 0}`)
        .where(sql<boolean>`(route.created_at < ${after?.createdAt ?? 0} or route.id < ${after?.id ?? 0})`),
    )
}

/** The account's own routes, newest first. */
export async function listOwnRoutes(
  db: Db,
  accountId: number,
  filters: RouteFilters,
  limit: number,
): Promise<Route[]> {
  const own = db.selectFrom('route').select(columns).where('route.account_id', '=', accountId)
  const rows = await filtered(own, filters, 'route')
    .orderBy('route.created_at', 'desc')
    .orderBy('route.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(routeOf)
}

/** For each of these lines, the account's routes with the same line. */
export function findNearDuplicates(
  db: Db,
  accountId: number,
  geometryHashes: readonly string[],
): Promise<{ id: number; geometryHash: string | null }[]> {
  if (geometryHashes.length === 0) return Promise.resolve([])
  return db
    .selectFrom('route')
    .select(['id', 'geometry_hash as geometryHash'])
    .where('account_id', '=', accountId)
    .where('geometry_hash', 'in', geometryHashes)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}
