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

/** Places in the order of the trail's list, by id of image. */
export async function findPlaces(
  db: Db,
  trailId: number,
  ids: readonly number[],
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('image')
    .select(['id', 'seq'])
    .where('trail_id', '=', trailId)
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

/** Those of the trail that came from this server and are listed here, in the order of their ids. */
export async function listPulledHere(
  db: Db,
  { source, trailId, after }: { readonly source: string; readonly trailId: number; readonly after: number },
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('image')
    .innerJoin('pulled', 'pulled.id', 'image.id')
    .select('image.id')
    .where('pulled.kind', '=', 'image')
    .where('pulled.source', '=', source)
    .where('image.trail_id', '=', trailId)
    .where('image.state', '=', 'approved')
    .where('image.id', '>', after)
    .orderBy('image.id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}
