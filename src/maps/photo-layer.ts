// The listed photos of one tile as a layer of it.
import type { Changes } from '../commits.ts'
import type { Db } from '../database/database.ts'
import { createYielder } from '../shared/yielding.ts'
import { writeLayer, type Charge, type Layer } from './layer.ts'
import { tileTurnMs } from './line-cache.ts'
import { createPhotosOfTile } from './photos.ts'
import { createTrailNames } from './trail-names.ts'
import { projectX, projectY, tileExtent, type Tile } from './world.ts'

/** Of a tile of so many photos that each square shows one: up to a thousand of them are looked up, one by one further in. */
const thinningCost = 3

/** Within the tile, and never on its far edge, which is the next tile's: whoever draws takes what is there for a double. */
const dot = (share: number): number => Math.min(tileExtent - 1, Math.max(0, Math.floor(share * tileExtent)))

export function createPhotoLayer({ db, changes }: { readonly db: Db; readonly changes: Changes }) {
  const photosOf = createPhotosOfTile(db)
  const trailNames = createTrailNames({ db, changes })

  async function make(tile: Tile, charge: Charge): Promise<Buffer> {
    const photos = await photosOf(tile, createYielder(tileTurnMs), () => charge(thinningCost))
    const names = await trailNames(photos.map(({ trailId }) => trailId))
    const side = 2 ** tile.z
    const features = photos.map(({ id, trailId, title, latitude, longitude }) => ({
      id,
      type: 1 as const,
      tags: { imageID: id, trailID: trailId, trailName: names.get(trailId) ?? '', title },
      geometry: [
        [dot(projectX(longitude) * side - tile.x), dot(projectY(latitude) * side - tile.y)] as const,
      ],
    }))
    return writeLayer('photos', features)
  }

  /**
   * @param before the layer as it was when the tile was last asked for.
   * @param charge counts what many photos cost, before they are looked up.
   */
  return async (tile: Tile, before: Layer | undefined, charge: Charge): Promise<Layer> => {
    if (before !== undefined && changes.isUntouchedSince(before.since, ['photos'])) return before
    const since = changes.count() // before anything is looked up: a commit meanwhile makes it old at once
    const bytes = await make(tile, charge)
    return { bytes: before?.bytes.equals(bytes) === true ? before.bytes : bytes, since }
  }
}
