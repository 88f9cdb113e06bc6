// Flags that are not stored yet, or not for the image's current position and line: found and stored when it is first
// shown.
import { runYielding, yieldTurn } from '../../shared/yielding.ts'
import type { Db } from '../../database/database.ts'
import type { ImageDistanceTable } from '../../database/review-schema.ts'
import { requireWritable } from '../../database/read-only.ts'
import {
  hashedOf,
  listHashesNear,
  listUnpaired,
  maxNear,
  nearOf,
  nearestOnly,
  pairImage,
  pairUnpaired,
  unseen,
  type Near,
} from '../../events/near-pairs-table.ts'
import type { QueuedImage } from '../queue-page-table.ts'
import { metresToLine } from '../../shared/geo/spatial-line.ts'
import { listPresent, saveDistance } from './flags-table.ts'
import { createTrailLines } from './trail-lines.ts'

/** Processed together; more would hold up other requests, and make queries with too many values. */
const imagesOfTurn = 10

/** By image: those that are near and there still, nearest first. */
export type NearById = ReadonlyMap<number, readonly Near[]>

async function findNear(db: Db, images: readonly QueuedImage[]): Promise<NearById> {
  const near = new Map<number, Near[]>()
  for (const [trailId, onTrail] of Map.groupBy(images, (image) => image.trailId)) {
    const asked = onTrail.flatMap(hashedOf)
    const probes = asked.map(({ bands }) => bands)
    const candidates = (await listHashesNear(db, trailId, probes)).flatMap(hashedOf)
    for (const image of asked) {
      const nearest = nearOf(image, candidates).slice(0, maxNear)
      if (nearest.length > 0) near.set(image.id, nearest)
      if (candidates.length > 1_000) await yieldTurn()
    }
  }
  const ids = [...new Set([...near.values()].flatMap((all) => all.map(({ id }) => id)))]
  const present = ids.length === 0 ? new Set<number>() : await listPresent(db, ids)
  return new Map([...near].map(([id, all]) => [id, all.filter((one) => present.has(one.id))]))
}

/** The images, and photos that an older node has added to their trails; each in its own turn of the event loop. */
async function storeNear(db: Db, images: readonly QueuedImage[]): Promise<void> {
  for (const trailId of new Set(images.filter(({ hasUnpaired }) => hasUnpaired).map((one) => one.trailId))) {
    for (let isMore = true; isMore;)
      isMore = await db.transaction().execute(async (tx) => {
        await requireWritable(tx)
        const rows = await listUnpaired(tx, trailId, imagesOfTurn)
        for (const row of rows) await pairUnpaired(tx, trailId, row)
        return rows.length === imagesOfTurn
      })
  }
  const unknown = images.filter(({ paired }) => paired === unseen || paired === nearestOnly)
  if (unknown.length === 0) return
  await db.transaction().execute(async (tx) => {
    await requireWritable(tx)
    for (const image of unknown)
      for (const hashed of hashedOf(image))
        await pairImage(tx, { ...hashed, trailId: image.trailId }, 'known')
  })
}

export function createUnstoredFlags(db: Db) {
  const linesOf = createTrailLines(db)

  /** Processes the images, a few at a time. */
  async function inTurns(
    images: readonly QueuedImage[],
    work: (some: readonly QueuedImage[]) => Promise<void>,
  ): Promise<void> {
    for (let at = 0; at < images.length; at += imagesOfTurn) {
      if (at > 0) await yieldTurn()
      await work(images.slice(at, at + imagesOfTurn))
    }
  }

  async function measure(images: readonly QueuedImage[]): Promise<ImageDistanceTable[]> {
    const lines = await linesOf([...new Set(images.map(({ trailId }) => trailId))])
    function* measuring(): Generator<undefined, ImageDistanceTable[]> {
      const found: ImageDistanceTable[] = []
      for (const { id, trailId, latitude, longitude } of images) {
        const cached = lines.get(trailId)
        if (cached === undefined || latitude === null || longitude === null) continue
        const { line, mark } = cached
        const { id: _trail, ...facts } = mark
        const metres = line === undefined ? null : metresToLine(line, { lat: latitude, lon: longitude }, 0)
        found.push({ image_id: id, metres, latitude, longitude, ...facts })
        yield
      }
      return found
    }
    return runYielding(measuring())
  }

  /** What cannot be stored, as while the service is read-only, is found again with the next page. */
  const asFarAsPossible = (work: Promise<void>): Promise<void> => work.catch(() => undefined)

  return {
    near: async (images: readonly QueuedImage[]): Promise<NearById> => {
      const found = new Map<number, readonly Near[]>()
      await inTurns(images, async (some) => {
        for (const [id, near] of await findNear(db, some)) found.set(id, near)
        await asFarAsPossible(storeNear(db, some))
      })
      return found
    },

    /** By image: the metres to the line of its trail. */
    metres: async (images: readonly QueuedImage[]): Promise<ReadonlyMap<number, number>> => {
      const found = new Map<number, number>()
      await inTurns(images, async (some) => {
        const measured = await measure(some)
        for (const { image_id: id, metres } of measured) if (metres !== null) found.set(id, metres)
        await asFarAsPossible(
          db.transaction().execute(async (tx) => {
            await requireWritable(tx)
            for (const one of measured) await saveDistance(tx, one)
          }),
        )
      })
      return found
    },
  }
}
