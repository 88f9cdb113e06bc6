// SQL of the table near_pair: photos that look alike, found once when a photo arrives, not for each page of the queue.
//
// `paired` of an image_hash says how far that has come. `complete`: every near hash on its trail has a row, and new
// photos add theirs. `nearestOnly`: there were too many, and only the nearest have a row. `unseen`: its own near photos
// have not been searched yet, but photos added later have their rows. Null: added by an older version.
import { bandsOf, bitsApart, nearBands, nearBits, type Bands } from '../shared/dhash.ts'
import type { Db, Tx } from '../database/database.ts'
import { preparedFor } from '../database/prepared-rows.ts'
import type { NearPairTable } from '../database/review-schema.ts'

export const unseen = 0
export const complete = 1
export const nearestOnly = 2

/** How many near hashes are checked to find those that still exist. */
export const maxNear = 100
/** In one statement, whose values have a bound. */
const idsAtOnce = 500

export interface Hashed {
  readonly id: number
  readonly bands: Bands
}

export interface Near {
  readonly id: number
  readonly bits: number
}

export const hashedOf = ({ id, dhash }: { readonly id: number; readonly dhash: string | null }): Hashed[] =>
  dhash === null || dhash === '' ? [] : [{ id, bands: bandsOf(dhash) }]

/** All that are near, nearest first. */
export function nearOf({ id, bands }: Hashed, candidates: readonly Hashed[]): Near[] {
  return candidates
    .flatMap((other): Near[] => {
      const bits = other.id === id ? nearBits + 1 : bitsApart(bands, other.bands)
      return bits <= nearBits ? [{ id: other.id, bits }] : []
    })
    .toSorted((one, other) => one.bits - other.bits || one.id - other.id)
}

/** The hashes on the trail that may be near one of these. */
export async function listHashesNear(
  db: Db,
  trailId: number,
  hashes: readonly Bands[],
): Promise<{ id: number; dhash: string }[]> {
  // Duplicates stay in the lists, so that there is one query text per number of hashes, and no more.
  const probes = ([0, 1, 2, 3] as const).map((index) => hashes.flatMap((bands) => nearBands(bands[index])))
  const values = [trailId, ...probes.flat()]
  const query = (slot: (place: number) => never) => {
    let place = 0
    const [first = [], second = [], third = [], fourth = []] = probes.map((some) =>
      some.map(() => slot((place += 1))),
    )
    return db
      .selectFrom('image_hash')
      .select(['image_id as id', 'dhash'])
      .where(({ eb, or, and }) =>
        // The trail is in each branch, so that each walks its own index.
        or([
          and([eb('trail_id', '=', slot(0)), eb('band_0', 'in', first)]),
          and([eb('trail_id', '=', slot(0)), eb('band_1', 'in', second)]),
          and([eb('trail_id', '=', slot(0)), eb('band_2', 'in', third)]),
          and([eb('trail_id', '=', slot(0)), eb('band_3', 'in', fourth)]),
        ]),
      )
  }
  // That of a new photo, with its 69 values, is asked for each upload. Longer ones are rare, and large to remember.
  if (hashes.length > 1) return query((place) => values[place] as never).execute()
  const { rows } = await db.executeQuery(preparedFor(db, { shape: 'hashes near one', values, build: query }))
  return rows
}

const setPaired = (tx: Tx, ids: readonly number[], paired: number) =>
  tx
    .updateTable('image_hash')
    .set({ paired })
    .where('image_id', 'in', [...ids])

async function insertPairs(tx: Tx, pairs: readonly NearPairTable[]): Promise<void> {
  if (pairs.length === 0) return
  await tx
    .insertInto('near_pair')
    .values([...pairs])
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Near photos get a row for the new image; if they have too many, they are searched again when the queue next shows
 * them.
 */
export async function tell(tx: Tx, imageId: number, near: readonly Near[]): Promise<void> {
  const hasTooMany = near.length > maxNear
  for (let at = 0; at < near.length; at += idsAtOnce) {
    const ids = near.slice(at, at + idsAtOnce).map(({ id }) => id)
    const outdated = setPaired(tx, ids, unseen)
    await outdated.where('paired', hasTooMany ? '>' : '>=', hasTooMany ? unseen : nearestOnly).execute()
  }
  if (hasTooMany || near.length === 0) return
  const rows = await tx
    .selectFrom('image_hash')
    .select('image_id as id')
    .where(
      'image_id',
      'in',
      near.map(({ id }) => id),
    )
    .where('paired', '=', complete)
    .execute()
  const listening = new Set(rows.map(({ id }) => id))
  const affected = near.filter(({ id }) => listening.has(id))
  await insertPairs(
    tx,
    affected.map(({ id, bits }) => ({ image_id: id, bits, other_id: imageId })),
  )
}

/** All images on the trail that are near the image. */
export const findNear = async (db: Db, trailId: number, image: Hashed): Promise<Near[]> =>
  nearOf(image, (await listHashesNear(db, trailId, [image.bands])).flatMap(hashedOf))

/** The value of `paired` for an image with these pairs. */
export const pairedBy = (near: readonly Near[]): number => (near.length > maxNear ? nearestOnly : complete)

const pairsOf = (imageId: number, near: readonly Near[]): NearPairTable[] =>
  near.slice(0, maxNear).map((other) => ({ image_id: imageId, bits: other.bits, other_id: other.id }))

/** Stores the near photos of a new image whose hash has been stored, and adds the image to theirs. */
export async function storeNear(tx: Tx, imageId: number, near: readonly Near[]): Promise<void> {
  if (near.length === 0) return
  await tell(tx, imageId, near)
  await insertPairs(tx, pairsOf(imageId, near))
}

export interface PairedImage extends Hashed {
  readonly trailId: number
}

/** Finds and stores the near photos of the image; with `isNew`, also adds the image to theirs. */
export async function pairImage(
  tx: Tx,
  { id, bands, trailId }: PairedImage,
  isNew: 'new' | 'known',
): Promise<void> {
  const near = await findNear(tx, trailId, { id, bands })
  if (isNew === 'new') await tell(tx, id, near)
  else await tx.deleteFrom('near_pair').where('image_id', '=', id).execute()
  await insertPairs(tx, pairsOf(id, near))
  await setPaired(tx, [id], pairedBy(near)).execute()
}

/** Photos that a node of an older version has added to the trail without pairs. */
export function listUnpaired(
  tx: Tx,
  trailId: number,
  limit: number,
): Promise<{ id: number; dhash: string }[]> {
  return tx
    .selectFrom('image_hash')
    .select(['image_id as id', 'dhash'])
    .where('trail_id', '=', trailId)
    .where('paired', 'is', null)
    .orderBy('image_id')
    .limit(limit)
    .execute()
}

/** Pairs a photo that an older node added. */
export async function pairUnpaired(
  tx: Tx,
  trailId: number,
  row: { id: number; dhash: string },
): Promise<void> {
  const [hashed] = hashedOf(row)
  if (hashed) await pairImage(tx, { ...hashed, trailId }, 'new')
  else await setPaired(tx, [row.id], complete).execute()
}
