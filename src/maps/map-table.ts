// SQL of what maps show: the listed images by place and by trail, and the lines of trails.
import { sql } from 'kysely'
import type { StoredCapture } from '../images/capture/capture-fields.ts'
import { isTakenOn, isWithin, type TakenDays } from '../images/image-table.ts'
import type { CellRange } from '../shared/geo/cells.ts'
import type { Box } from '../shared/geo/measures.ts'
import type { Db } from '../database/database.ts'
import { createHotQuery } from '../database/hot-query.ts'
import { meets } from '../database/matching.ts'
import { createPreparedRows } from '../database/prepared-rows.ts'

export interface ImageOnMap {
  readonly id: number
  readonly trailId: number
  readonly title: string
  readonly latitude: number
  readonly longitude: number
}

/** With the cell that it is in. */
export interface PlacedImage extends ImageOnMap {
  readonly cell: number
}

export interface ListedImage extends StoredCapture {
  readonly id: number
  readonly trailId: number
  readonly seq: number
  readonly title: string
  readonly caption: string
  readonly submitterId: number
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

export interface ListedSought {
  readonly after: number
  readonly within: Box | undefined
  readonly taken?: TakenDays | undefined
}

/** The listed images of the trail after this one, in order of upload. */
export function listListedAfter(
  db: Db,
  trailId: number,
  { after, within, taken }: ListedSought,
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
      'image.submitter_id as submitterId',
      'image.posted_at as postedAt',
      'image.latitude',
      'image.longitude',
      'image.taken_at as takenAt',
      'image.taken_offset as takenOffset',
      'image.taken_zone as takenZone',
      'image.position_source as positionSource',
      'image.position_accuracy as positionAccuracy',
      'image.direction',
      'image.altitude',
    ])
    .where('image.trail_id', '=', trailId)
    .where('image.state', '=', 'approved')
    .where('image.seq', '>', after)
    .$if(within !== undefined, (query) => (within ? query.where(isWithin(within)) : query))
    .$if(taken !== undefined, (query) => (taken ? query.where(isTakenOn(taken)) : query))
    .orderBy('image.seq')
    .limit(limit)
    .execute()
}

/** The squares of a zoom, by the bits that the cells of each have in common. */
export interface SquareRange extends CellRange {
  readonly zoom: number
}

/** What a map shows of an image, in this order. */
const onMap = [
  'image.id',
  'image.trail_id as trailId',
  'image.title',
  sql<number>`image.latitude`.as('latitude'),
  sql<number>`image.longitude`.as('longitude'),
] as const

const selectOnMap = (db: Db) =>
  db
    .selectFrom('image')
    .select(onMap)
    .where('image.state', '=', 'approved')
    .orderBy('image.cell')
    .orderBy('image.id')

/** The query of every tile: built once. */
export function createPhotoQueries(db: Db) {
  const ask = createPreparedRows(db)
  const firstInCells = createHotQuery<PlacedImage, 'first' | 'last'>(db, (parameter) =>
    selectOnMap(db)
      .select(sql<number>`image.cell`.as('cell'))
      .where('image.cell', '>=', parameter('first'))
      .where('image.cell', '<=', parameter('last'))
      .limit(1),
  )

  /** Squares of one zoom that squares of a tile are. */
  const within = (slot: (place: number) => never) =>
    sql<boolean>`(map_square.zoom = ${slot(0)} and map_square.square >= ${slot(1)} and map_square.square <= ${slot(2)})`

  return {
    /** Are there more listed images in these cells than that? Read from the index alone. */
    areMoreThan: async ({ first, last }: CellRange, count: number): Promise<boolean> => {
      const rows = await ask({
        shape: 'more',
        values: [first, last, count],
        build: (slot) =>
          db
            .selectFrom('image')
            .select('cell')
            .where('state', '=', 'approved')
            .where('cell', '>=', slot(0))
            .where('cell', '<=', slot(1))
            .orderBy('cell')
            .orderBy('id')
            .offset(slot(2))
            .limit(1),
      })
      return rows.length > 0
    },

    /** How many listed images these squares have. */
    countInSquares: async ({ zoom, first, last }: SquareRange): Promise<number> => {
      const [row] = await ask<{ readonly photos: number }>({
        shape: 'count',
        values: [zoom, first, last],
        build: (slot) =>
          db
            .selectFrom('map_square')
            .select(sql<number>`cast(coalesce(sum(photos), 0) as bigint)`.as('photos'))
            .where(within(slot)),
      })
      return row?.photos ?? 0
    },

    /** The first listed image of each of these squares. */
    listFirstOfSquares: ({ zoom, first, last }: SquareRange): Promise<PlacedImage[]> =>
      ask<PlacedImage>({
        shape: 'first',
        values: [zoom, first, last],
        build: (slot) =>
          db
            .selectFrom('map_square')
            .innerJoin('image', 'image.id', 'map_square.image_id')
            .select([...onMap, 'map_square.cell'])
            .where(within(slot))
            // Whatever the squares say, only listed photos are shown.
            .where('image.state', '=', 'approved')
            .orderBy('map_square.square'),
      }),

    /** The first listed images of these cells. */
    listInCells: ({ first, last }: CellRange, limit: number): Promise<ImageOnMap[]> =>
      ask<ImageOnMap>({
        shape: 'cells',
        values: [first, last, limit],
        build: (slot) =>
          selectOnMap(db)
            .where('image.cell', '>=', slot(0))
            .where('image.cell', '<=', slot(1))
            .limit(slot(2)),
      }),

    /** The first listed image from one cell on to another, with its cell: a single step in the index. */
    firstInCells,
  }
}

export const listTrailNames = (db: Db, ids: readonly number[]): Promise<{ id: number; name: string }[]> =>
  db.selectFrom('trail').select(['id', 'name']).where('id', 'in', ids).execute()

export interface TrailOnMap {
  readonly id: number
  readonly name: string
  /** Another one whenever its line is another. */
  readonly lineVersion: string
}

export interface LinesSought {
  readonly box: Box
  /** Height and width of the smallest box that is worth drawing, together. */
  readonly minDegrees: number
  readonly limit: number
}

/** Not the version of the trail, which grows with every photo. */
const lineVersion =
  sql<string>`concat_ws(':', trail.updated_at, trail.west, trail.south, trail.east, trail.north)`.as(
    'lineVersion',
  )

/** Trails with a line in the box, the widest first. */
export function listTrailsWithin(db: Db, { box, minDegrees, limit }: LinesSought): Promise<TrailOnMap[]> {
  const spread = sql<number>`(trail.north - trail.south + abs(trail.east - trail.west))`
  return db
    .selectFrom('trail')
    .select(['trail.id', 'trail.name', lineVersion])
    .where(meets('trail', box))
    .where(sql<boolean>`${spread} >= ${minDegrees}`)
    .orderBy(spread, 'desc')
    .orderBy('trail.id')
    .limit(limit)
    .execute()
}

/** @returns a function that finds the GeoJSON text of a trail's line; nothing if it has none. */
export const createTrailGeometryQuery = (db: Db) =>
  createHotQuery<{ readonly geometry: string }, 'trailId'>(db, (parameter) =>
    db.selectFrom('trail_line').select('geometry').where('trail_id', '=', parameter('trailId')),
  )
