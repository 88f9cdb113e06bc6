// Approved photos of a trail: a few real ones, uploaded and reviewed by the services, or many copied rows.
import { scopes } from '../../src/auth/scopes.ts'
import type { AccountActor } from '../../src/auth/guard.ts'
import { complete } from '../../src/events/near-pairs-table.ts'
import { bandsOf } from '../../src/shared/dhash.ts'
import { cellOf } from '../../src/shared/geo/cells.ts'
import type { Filling } from './ours.ts'
import { createChance } from './statistics.ts'

const rowsOfInsert = 200
const postedFrom = Date.UTC(2026, 4, 14, 9, 8, 7)

const actorOf = (accountId: number, role: 'member' | 'admin'): AccountActor => ({
  kind: 'account',
  accountId,
  role,
  scopes: new Set(scopes),
  via: 'client',
})

async function* wholeBody(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

export interface Into {
  readonly trailId: number
  readonly memberId: number
  readonly adminId: number
}

/**
 * Uploads and approves.
 * @returns the ids, in the same order.
 */
export async function addPhotos(
  { services }: Pick<Filling, 'services'>,
  { trailId, memberId, adminId }: Into,
  photos: readonly Uint8Array[],
): Promise<number[]> {
  const ids: number[] = []
  for (const bytes of photos) {
    const into = { trailId, key: undefined }
    const { imageId } = await services.upload.take(actorOf(memberId, 'member'), into, wholeBody(bytes))
    await services.review.decide(actorOf(adminId, 'admin'), imageId, {
      decision: 'approve',
      reason: undefined,
      note: undefined,
    })
    ids.push(imageId)
  }
  return ids
}

const words =
  'after all along at bend bridge bright camp clear cliff cloud cold creek dawn down edge evening fern first fog & forest from frost grass gravel ground half "heather" high hill hour ice in last late left light long low mile mist moon morning moss near night north of on over path pines rain ridge river rocks shade slope snow south spring steep stone sun the trail tree under up valley view warm water west where wind'.split(
    ' ',
  )
const captionWords = 14

/** All different, so that they compress like real captions. */
const captionOf = (chance: () => number): string =>
  Array.from({ length: captionWords }, () => words[Math.floor(chance() * words.length)]).join(' ')

const hexDigit = (chance: () => number): string => Math.floor(chance() * 16).toString(16)

/**
 * Without a hash and a map position, each image would count as one of an older version, and the server would process them
 * in the minute after its start, with a worker and 250 transactions a second during the measurement.
 */
function hashRowOf(image: { readonly id: number; readonly trail_id: number }, chance: () => number) {
  const dhash = Array.from({ length: 16 }, () => hexDigit(chance)).join('')
  const [band_0, band_1, band_2, band_3] = bandsOf(dhash)
  return {
    image_id: image.id,
    trail_id: image.trail_id,
    dhash,
    band_0,
    band_1,
    band_2,
    band_3,
    paired: complete,
  }
}

/**
 * Copies one photo until the trail has `count`, each with its own title, caption and position.
 * @returns the ids.
 */
export async function copyPhotos(
  { installation }: Pick<Filling, 'installation'>,
  { imageId, trailId, count }: { readonly imageId: number; readonly trailId: number; readonly count: number },
): Promise<number[]> {
  const { db } = installation.database
  const image = await db.selectFrom('image').selectAll().where('id', '=', imageId).executeTakeFirstOrThrow()
  const chance = createChance(count)
  const hashChance = createChance(count + 1)
  const rowOf = (index: number) => {
    const latitude = 44.2706 + index / 100_000
    const longitude = -71.3033 - index / 100_000
    return {
      ...image,
      id: installation.system.newId(),
      trail_id: trailId,
      seq: index + 1,
      title: `Ridge at dawn ${index}`,
      caption: captionOf(chance),
      lat: latitude.toFixed(6),
      lon: longitude.toFixed(6),
      latitude,
      longitude,
      cell: cellOf(latitude, longitude),
      posted_at: postedFrom + index * 60_000,
    }
  }
  const ids: number[] = []
  await db.transaction().execute(async (tx) => {
    for (let first = 0; first < count; first += rowsOfInsert) {
      const rows = Array.from({ length: Math.min(rowsOfInsert, count - first) }, (_, index) =>
        rowOf(first + index),
      )
      await tx.insertInto('image').values(rows).execute()
      await tx
        .insertInto('image_hash')
        .values(rows.map((row) => hashRowOf(row, hashChance)))
        .execute()
      ids.push(...rows.map(({ id }) => id))
    }
    await tx.updateTable('trail').set({ version: count }).where('id', '=', trailId).execute()
  })
  return ids
}
