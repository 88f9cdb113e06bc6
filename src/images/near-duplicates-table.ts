// SQL of the table image_hash, which finds near duplicates, and of processing images that are older than it.
import { sql } from 'kysely'
import { cellOf } from '../shared/geo/cells.ts'
import { bandsOf, noBands } from '../shared/dhash.ts'
import { complete, findNear, pairedBy, pairImage, storeNear, type Near } from '../events/near-pairs-table.ts'
import type { Db, Tx } from '../database/database.ts'
import { preparedInsert } from '../database/prepared-rows.ts'
import { later } from '../database/together.ts'
import { requireWritable } from '../database/read-only.ts'

/** Images that look like a new one. @param dhash 16 hex digits, or empty. */
export async function findNearNew(db: Db, trailId: number, dhash: string): Promise<Near[]> {
  return dhash === '' ? [] : findNear(db, trailId, { id: 0, bands: bandsOf(dhash) })
}

/** Stores the hash of a new image and its near duplicates; the transaction has the trail as a key, or runs alone. */
export async function saveNewHash(
  tx: Tx,
  { imageId, trailId, dhash }: { readonly imageId: number; readonly trailId: number; readonly dhash: string },
  near: readonly Near[],
): Promise<void> {
  const [band_0, band_1, band_2, band_3] = dhash === '' ? noBands : bandsOf(dhash)
  const row = { image_id: imageId, trail_id: trailId, dhash, band_0, band_1, band_2, band_3 }
  await later(tx, preparedInsert(tx, 'image_hash', { ...row, paired: pairedBy(near) }))
  await storeNear(tx, imageId, near)
}

/**
 * Stores the hash of an image, once, and which others on its trail look like it; nothing if the image was deleted.
 * @param dhash 16 hex digits, or empty if none can be computed.
 */
export async function saveHash(tx: Tx, imageId: number, dhash: string): Promise<void> {
  const bands = dhash === '' ? noBands : bandsOf(dhash)
  const saved = await tx
    .insertInto('image_hash')
    .columns(['image_id', 'trail_id', 'dhash', 'band_0', 'band_1', 'band_2', 'band_3', 'paired'])
    .expression(
      tx
        .selectFrom('image')
        .select([
          'id',
          'trail_id',
          sql<string>`cast(${dhash} as text)`.as('dhash'),
          ...bands.map((band, index) => sql<number>`cast(${band} as integer)`.as(`band_${index}`)),
          sql<number>`cast(${complete} as integer)`.as('paired'),
        ])
        .where('id', '=', imageId),
    )
    .onConflict((conflict) => conflict.column('image_id').doNothing())
    .returning('trail_id')
    .executeTakeFirst()
  if (saved && dhash !== '') await pairImage(tx, { id: imageId, trailId: saved.trail_id, bands }, 'new')
}

/** The hashes of older images, and how far that has come: the greatest id that was processed. */
export type CatchingUp = 'hashes' | 'cells'

const counterOf = (what: CatchingUp): string => `caught-up:${what}`

export async function readProgress(db: Db, what: CatchingUp): Promise<number> {
  const row = await db
    .selectFrom('counter')
    .select('value')
    .where('name', '=', counterOf(what))
    .executeTakeFirst()
  return row?.value ?? 0
}

export async function saveProgress(db: Db, what: CatchingUp, value: number): Promise<void> {
  await db
    .insertInto('counter')
    .values({ name: counterOf(what), value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

export interface OlderImage {
  readonly id: number
  readonly sha256: string
  readonly isHashed: boolean
}

/** In the order of ids, which new images need not follow: those have their hash from the start. */
export async function listOlderImages(db: Db, afterId: number, limit: number): Promise<OlderImage[]> {
  const rows = await db
    .selectFrom('image')
    .leftJoin('image_hash', 'image_hash.image_id', 'image.id')
    .select(['image.id', 'image.sha256', 'image_hash.image_id as hashed'])
    .where('image.id', '>', afterId)
    .orderBy('image.id')
    .limit(limit)
    .execute()
  return rows.map(({ id, sha256, hashed }) => ({ id, sha256, isHashed: hashed !== null }))
}

/**
 * Adds the next images with a position but without a map cell to the map.
 * @returns how many it added, and the last id it looked at; undefined at the end.
 */
export function placeNext(
  db: Db,
  afterId: number,
  limit: number,
): Promise<{ readonly placed: number; readonly lastId: number } | undefined> {
  return db.transaction().execute(async (tx) => {
    await requireWritable(tx)
    const rows = await tx
      .selectFrom('image')
      .select(['id', 'latitude', 'longitude', 'cell'])
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(limit)
      .execute()
    let placed = 0
    for (const { id, latitude, longitude, cell } of rows) {
      if (cell !== null || latitude === null || longitude === null) continue
      await tx
        .updateTable('image')
        .set({ cell: cellOf(latitude, longitude) })
        .where('id', '=', id)
        .execute()
      placed += 1
    }
    const last = rows.at(-1)
    if (last !== undefined) await saveProgress(tx, 'cells', last.id)
    return last && { placed, lastId: last.id }
  })
}
