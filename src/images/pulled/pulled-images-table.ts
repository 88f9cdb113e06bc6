// SQL by which a pull compares the photos that are here with a list of another server, and brings them into its order.
import { sql } from 'kysely'
import type { Db, Tx } from '../../database/database.ts'
import type { ImageState } from '../../database/schema.ts'
import type { ListedTexts } from './pulled-image.ts'

export interface ImageHere extends ListedTexts {
  readonly id: number
  readonly trailId: number
  readonly submitterId: number
  readonly state: ImageState
  readonly mimeType: string
}

const columns = [
  'id',
  'trail_id as trailId',
  'submitter_id as submitterId',
  'state',
  'title',
  'caption',
  'lat',
  'lon',
  'mime_type as mimeType',
] as const

export async function findImagesHere(db: Db, ids: readonly number[]): Promise<Map<number, ImageHere>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('image')
    .select(columns)
    .where('id', 'in', [...ids])
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Places in the order of the lists of their trails. */
export async function findPlaces(db: Db, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('image')
    .select(['id', 'seq'])
    .where('id', 'in', [...ids])
    .execute()
  return new Map(rows.map(({ id, seq }) => [id, seq]))
}

export interface Placed {
  readonly id: number
  readonly seq: number
}

/** Gives images of a trail other places, which together are those that they had. */
export async function movePlaces(tx: Tx, moves: readonly Placed[]): Promise<void> {
  // No two images of a trail may have one place, not even for a moment.
  for (const { id, seq } of moves) await sql`update image set seq = ${-seq} where id = ${id}`.execute(tx)
  for (const { id, seq } of moves) await sql`update image set seq = ${seq} where id = ${id}`.execute(tx)
}

/** Those that the list of the trail shows, in its order, after a place. */
export function listPlaced(db: Db, trailId: number, after: number, limit: number): Promise<Placed[]> {
  return db
    .selectFrom('image')
    .select(['id', 'seq'])
    .where('trail_id', '=', trailId)
    .where('state', '=', 'approved')
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute()
}
