// SQL for ascents measured by an older rule, of routes and of their public views (indexes of migration 0030).
import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { climbRule } from '../shared/geo/climb.ts'
import type { PublicMeasures } from './gpx/measured.ts'

/** Exactly as in the indexes. */
const isOlder = (table: 'route' | 'route_shown') =>
  sql<boolean>`${sql.ref(`${table}.measures`)} not like '%"climbRule":${sql.raw(String(climbRule))}%'`

/** The measures as they were read: they are replaced only if they have not changed. */
export interface OlderClimb {
  readonly id: number
  readonly measures: string
}

export interface OlderPublicClimb extends OlderClimb {
  readonly lines: Uint8Array
}

export function listOlderClimbs(db: Db, after: number, limit: number): Promise<OlderClimb[]> {
  return db
    .selectFrom('route')
    .select(['id', 'measures'])
    .where(isOlder('route'))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export function listOlderPublicClimbs(db: Db, after: number, limit: number): Promise<OlderPublicClimb[]> {
  return db
    .selectFrom('route_shown')
    .select(['route_id as id', 'measures', 'lines'])
    .where(isOlder('route_shown'))
    .where('route_id', '>', after)
    .orderBy('route_id')
    .limit(limit)
    .execute()
}

export async function saveClimb(
  db: Db,
  { id, measures }: OlderClimb,
  renewed: PublicMeasures,
): Promise<void> {
  await db
    .updateTable('route')
    .set({ measures: JSON.stringify(renewed) })
    .where('id', '=', id)
    .where('measures', '=', measures)
    .execute()
}

/** Includes the columns used to find and sort the route in the public list. */
export function savePublicClimb(
  db: Db,
  { id, measures, lines }: OlderPublicClimb,
  renewed: PublicMeasures,
): Promise<void> {
  const ascent = renewed.climb ?? -1
  return db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('route_shown')
      .set({ measures: JSON.stringify(renewed) })
      .where('route_id', '=', id)
      .where('measures', '=', measures)
      .where('lines', '=', lines)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return
    const { numUpdatedRows: listed } = await tx
      .updateTable('public_route')
      .set({ ascent })
      .where('route_id', '=', id)
      .where(
        sql<boolean>`(line_revision, zones_revision) = (select route_shown.line_revision, route_shown.zones_revision
          from route_shown where route_shown.route_id = ${id})`,
      )
      .executeTakeFirst()
    if (listed > 0n) await tx.updateTable('route_trail').set({ ascent }).where('route_id', '=', id).execute()
  })
}
