// SQL of the list of public routes: filtered and sorted only by their public views.
import { sql, type RawBuilder } from 'kysely'
import type { Box } from '../../shared/geo/measures.ts'
import type { Db } from '../../database/database.ts'
import { contains, meets } from '../../database/matching.ts'
import { boxOf, type BoxColumns } from '../gpx/measured.ts'
import { isCurrentIn } from '../public-view/public-view-table.ts'

export type PublicOrder = 'newest' | 'length' | 'ascent'

/** All are descending: newest, longest or highest ascent first. */
const columnOf = { newest: 'created_at', length: 'miles', ascent: 'ascent' } as const

/** A position in the order of the list. */
export interface ListPlace {
  readonly value: number
  readonly id: number
}

export interface PublicFilters {
  readonly order: PublicOrder
  /** Case-folded. */
  readonly words?: string | undefined
  readonly within?: Box | undefined
  readonly minMiles?: number | undefined
  readonly maxMiles?: number | undefined
  /** Metres. Neither matches a route of unknown ascent. */
  readonly minAscent?: number | undefined
  readonly maxAscent?: number | undefined
  readonly nearTrail?: number | undefined
}

export interface ListedRoute extends ListPlace {
  readonly accountId: number
  readonly displayName: string
  readonly name: string
  readonly description: string
  readonly miles: number
  readonly ascent: number | null
  readonly box: Box | undefined
  readonly createdAt: number
  /** JSON. */
  readonly sketch: string
}

/** The table to scan: all routes, or those of a trail, which has the same columns. */
function placesOf({ order, nearTrail }: PublicFilters) {
  const ofTrail = nearTrail !== undefined
  const value = sql.ref(`place.${columnOf[order]}`)
  return {
    value,
    from: ofTrail ? sql`route_trail as place` : sql`public_route as place`,
    isOne: ofTrail ? sql<boolean>`place.trail_id = ${nearTrail}` : sql<boolean>`1 = 1`,
    isAfter: (place: ListPlace | undefined): RawBuilder<boolean> =>
      place === undefined
        ? sql<boolean>`1 = 1`
        : sql<boolean>`(${value}, place.route_id) < (${place.value}, ${place.id})`,
    inOrder: sql`order by ${value} desc, place.route_id desc`,
  }
}

/** The position this many routes further on; undefined if the list ends before it. */
export async function findPlaceAhead(
  db: Db,
  filters: PublicFilters,
  after: ListPlace | undefined,
  count: number,
): Promise<ListPlace | undefined> {
  const { value, from, isOne, isAfter, inOrder } = placesOf(filters)
  const { rows } = await sql<ListPlace>`select ${value} as value, place.route_id as id from ${from}
    where ${isOne} and ${isAfter(after)} ${inOrder} limit 1 offset ${count - 1}`.execute(db)
  return rows[0]
}

function areWanted(filters: PublicFilters, table: string): RawBuilder<boolean>[] {
  const { words, within, minMiles, maxMiles, minAscent, maxAscent } = filters
  const [miles, ascent] = [sql.ref(`${table}.miles`), sql.ref(`${table}.ascent`)]
  return [
    ...(minMiles === undefined ? [] : [sql<boolean>`${miles} >= ${minMiles}`]),
    ...(maxMiles === undefined ? [] : [sql<boolean>`${miles} <= ${maxMiles}`]),
    ...(minAscent === undefined ? [] : [sql<boolean>`${ascent} >= ${minAscent}`]),
    ...(maxAscent === undefined ? [] : [sql<boolean>`${ascent} between 0 and ${maxAscent}`]),
    ...(within === undefined ? [] : [meets(table, within)]),
    ...(words === undefined ? [] : [contains('route.search', words)]),
  ]
}

/** In characters; a full description may be very long. */
const maxDescription = 300

function cut(text: string): string {
  const characters = Array.from(text)
  return characters.length <= maxDescription ? text : `${characters.slice(0, maxDescription - 1).join('')}…`
}

type Row = BoxColumns & Omit<ListedRoute, 'ascent' | 'box'> & { readonly ascent: number }

const listedOf = ({ west, south, east, north, ascent, description, ...row }: Row): ListedRoute => ({
  ...row,
  description: cut(description),
  ascent: ascent < 0 ? null : ascent,
  box: boxOf({ west, south, east, north }),
})

/** Written so that no index is used for it: the list is scanned, and each route is looked up. */
const isPublic = sql<boolean>`coalesce(route.visibility, '') = 'public'`

/**
 * The matching routes after one place and up to another. A route counts only if it is public now, its owner is not
 * suspended, and its row in the list is current.
 */
export async function listPublicRoutes(
  db: Db,
  filters: PublicFilters,
  {
    after,
    upTo,
    limit,
  }: {
    readonly after?: ListPlace | undefined
    readonly upTo?: ListPlace | undefined
    readonly limit: number
  },
): Promise<ListedRoute[]> {
  const { value, from, isOne, isAfter, inOrder } = placesOf(filters)
  const listed = filters.nearTrail === undefined ? 'place' : 'listed'
  const column = (name: string) => sql.ref(`${listed}.${name}`)
  const joined =
    filters.nearTrail === undefined
      ? sql``
      : sql`inner join public_route as listed on listed.route_id = place.route_id`
  const isBefore =
    upTo === undefined
      ? sql<boolean>`1 = 1`
      : sql<boolean>`(${value}, place.route_id) >= (${upTo.value}, ${upTo.id})`
  const wanted = [isOne, isAfter(after), isBefore, ...areWanted(filters, listed)]
  const { rows } =
    await sql<Row>`select ${value} as value, place.route_id as id, route.account_id as "accountId",
      account.display_name as "displayName", route.name,
      substr(route.description, 1, ${maxDescription + 1}) as description, ${column('miles')} as miles,
      ${column('ascent')} as ascent, ${column('west')} as west, ${column('south')} as south,
      ${column('east')} as east, ${column('north')} as north, ${column('created_at')} as "createdAt",
      ${column('sketch')} as sketch
    from ${from} ${joined}
    inner join route on route.id = place.route_id
    inner join account on account.id = route.account_id
    where ${sql.join(wanted, sql` and `)} and ${isPublic} and account.suspended_at is null
      and ${isCurrentIn(listed)}
    ${inOrder} limit ${limit}`.execute(db)
  return rows.map(listedOf)
}
