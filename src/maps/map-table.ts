// SQL of what maps show: the listed images by place and by trail, and the lines of trails.
import { sql } from 'kysely'
import type { Box } from '../shared/geo/measures.ts'
import type { Db } from '../database/database.ts'
import { createHotQuery } from '../database/hot-query.ts'
import { meets } from '../database/matching.ts'

export interface ImageOnMap {
  readonly id: number
  readonly trailId: number
  readonly title: string
  readonly latitude: number
  readonly longitude: number
}

export interface ListedImage {
  readonly id: number
  readonly trailId: number
  readonly seq: number
  readonly title: string
  readonly caption: string
  readonly displayName: string
  readonly postedAt: number
  readonly latitude: number | null
  readonly longitude: number | null
}

export async function countListed(db: Db, trailId: number): Promise<number> {
  const { count } = await db
    .selectFrom('image')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('trail_id', '=', trailId)
    .where('state', '=', 'approved')
    .executeTakeFirstOrThrow()
  return count
}

/** The listed images of the trail after this one, in order of upload. */
export function listListedAfter(
  db: Db,
  trailId: number,
  { after, within }: { readonly after: number; readonly within: Box | undefined },
  limit: number,
): Promise<ListedImage[]> {
  return db
    .selectFrom('image')
    .innerJoin('account', 'account.id', 'image.submitter_id')
    .select([
      'image.id',
      'image.trail_id as trailId',
      'image.seq',
      'image.title',
      'image.caption',
      'account.display_name as displayName',
      'image.posted_at as postedAt',
      'image.latitude',
      'image.longitude',
    ])
    .where('image.trail_id', '=', trailId)
    .where('image.state', '=', 'approved')
    .where('image.seq', '>', after)
    .$if(within !== undefined, (query) => (within ? query.where(isIn(within)) : query))
    .orderBy('image.seq')
    .limit(limit)
    .execute()
}

/** A box that crosses the antimeridian has its west greater than its east (RFC 7946, section 5.2). */
function isIn({ west, south, east, north }: Box) {
  const inLongitude =
    west <= east
      ? sql<boolean>`image.longitude >= ${west} and image.longitude <= ${east}`
      : sql<boolean>`(image.longitude >= ${west} or image.longitude <= ${east})`
  return sql<boolean>`(image.latitude >= ${south} and image.latitude <= ${north} and ${inLongitude})`
}

export interface CellRange {
  readonly first: number
  /** Included. */
  readonly last: number
}

/** Are there more listed images in these cells than that? Read from the index alone. */
export async function areMoreThan(db: Db, { first, last }: CellRange, count: number): Promise<boolean> {
  const row = await db
    .selectFrom('image')
    .select('cell')
    .where('state', '=', 'approved')
    .where('cell', '>=', first)
    .where('cell', '<=', last)
    .orderBy('cell')
    .orderBy('id')
    .offset(count)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The squares of a zoom, by the bits that the cells of each have in common. */
export interface SquareRange extends CellRange {
  readonly zoom: number
}

/** Squares of one zoom that squares of a tile are. */
const within = ({ zoom, first, last }: SquareRange) =>
  sql<boolean>`(map_square.zoom = ${zoom} and map_square.square >= ${first} and map_square.square <= ${last})`

/** How many listed images these squares have. */
export async function countInSquares(db: Db, squares: SquareRange): Promise<number> {
  const { photos } = await db
    .selectFrom('map_square')
    .select(sql<number>`cast(coalesce(sum(photos), 0) as bigint)`.as('photos'))
    .where(within(squares))
    .executeTakeFirstOrThrow()
  return photos
}

/** The first listed image of each of these squares. */
export function listFirstOfSquares(db: Db, squares: SquareRange): Promise<ImageOnMap[]> {
  return (
    db
      .selectFrom('map_square')
      .innerJoin('image', 'image.id', 'map_square.image_id')
      .select([
        'image.id',
        'image.trail_id as trailId',
        'image.title',
        sql<number>`image.latitude`.as('latitude'),
        sql<number>`image.longitude`.as('longitude'),
      ])
      .where(within(squares))
      // Whatever the squares say, nothing that is not listed is shown.
      .where('image.state', '=', 'approved')
      .orderBy('map_square.square')
      .execute()
  )
}

const selectOnMap = (db: Db) =>
  db
    .selectFrom('image')
    .select([
      'image.id',
      'image.trail_id as trailId',
      'image.title',
      sql<number>`image.latitude`.as('latitude'),
      sql<number>`image.longitude`.as('longitude'),
    ])
    .where('image.state', '=', 'approved')
    .orderBy('image.cell')
    .orderBy('image.id')

/** The first listed images of these cells. */
export function listInCells(db: Db, { first, last }: CellRange, limit: number): Promise<ImageOnMap[]> {
  return selectOnMap(db)
    .where('image.cell', '>=', first)
    .where('image.cell', '<=', last)
    .limit(limit)
    .execute()
}

/** @returns what finds the first listed image from one cell on to another, with its cell: a single step in the index. */
export function createFirstInCells(db: Db) {
  return createHotQuery<ImageOnMap & { readonly cell: number }, 'first' | 'last'>(db, (parameter) =>
    selectOnMap(db)
      .select(sql<number>`image.cell`.as('cell'))
      .where('image.cell', '>=', parameter('first'))
      .where('image.cell', '<=', parameter('last'))
      .limit(1),
  )
}

export async function trailNames(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('trail').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export interface TrailOnMap {
  readonly id: number
  readonly name: string
  readonly version: number
}

export interface LinesSought {
  readonly box: Box
  /** Height and width of the smallest box that is worth drawing, together. */
  readonly minDegrees: number
  readonly limit: number
}

/** Trails with a line in the box, the widest first. */
export function listTrailsWithin(db: Db, { box, minDegrees, limit }: LinesSought): Promise<TrailOnMap[]> {
  const spread = sql<number>`(trail.north - trail.south + abs(trail.east - trail.west))`
  return db
    .selectFrom('trail')
    .select(['trail.id', 'trail.name', 'trail.version'])
    .where(meets('trail', box))
    .where(sql<boolean>`${spread} >= ${minDegrees}`)
    .orderBy(spread, 'desc')
    .orderBy('trail.id')
    .limit(limit)
    .execute()
}

/** GeoJSON text; undefined without a line. */
export async function findTrailGeometry(db: Db, trailId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('trail_line')
    .select('geometry')
    .where('trail_id', '=', trailId)
    .executeTakeFirst()
  return row?.geometry
}
