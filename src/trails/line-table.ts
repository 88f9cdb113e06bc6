// SQL of the line of one trail: its version, the line itself, and the other content of its downloads.
import type { Db } from '../database/database.ts'
import { createHotQuery } from '../database/hot-query.ts'

/** Columns that change with the line. */
export interface LineMark {
  readonly id: number
  readonly createdAt: number
  /** Column trail.line_version. */
  readonly version: number
  readonly miles: number | null
  readonly west: number | null
  readonly south: number | null
}

/** Compiled once, because it runs for every photo that is added or moved. */
export const createLineMarkQuery = (db: Db) =>
  createHotQuery<LineMark, 'trailId'>(db, (parameter) =>
    db
      .selectFrom('trail')
      .select(['id', 'created_at as createdAt', 'line_version as version', 'miles', 'west', 'south'])
      .where('id', '=', parameter('trailId')),
  )

export interface StoredLine {
  readonly version: number
  /** GeoJSON text; null without a line. */
  readonly geometry: string | null
}

export function findLine(db: Db, trailId: number): Promise<StoredLine | undefined> {
  return db
    .selectFrom('trail')
    .leftJoin('trail_line', 'trail_line.trail_id', 'trail.id')
    .select(['trail.line_version as version', 'trail_line.geometry'])
    .where('trail.id', '=', trailId)
    .executeTakeFirst()
}

export interface DownloadedTrail extends LineMark {
  readonly name: string
  readonly slug: string
  readonly description: string
  readonly ascent: number | null
  readonly descent: number | null
  /** Null without elevations. */
  readonly highest: number | null
}

/** The trail with the slug, otherwise the one with the ID. */
export function findDownloaded(
  db: Db,
  { id, slug }: { readonly id?: number | undefined; readonly slug?: string | undefined },
): Promise<DownloadedTrail | undefined> {
  return db
    .selectFrom('trail')
    .select(['id', 'created_at as createdAt', 'line_version as version', 'miles', 'west', 'south'])
    .select(['name', 'slug', 'description', 'ascent', 'descent', 'highest'])
    .$if(slug !== undefined, (query) => query.where('slug', '=', slug ?? ''))
    .$if(slug === undefined, (query) => query.where('id', '=', id ?? 0))
    .executeTakeFirst()
}
