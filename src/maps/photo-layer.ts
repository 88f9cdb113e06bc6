// The listed photos of one tile as a layer of it.
import type { Changes } from '../commits.ts'
import type { Db } from '../database/database.ts'
import { createYielder } from '../shared/yielding.ts'
import { writeLayer, type Charge, type Layer, type TileFeature } from './layer.ts'
import { tileTurnMs } from './line-cache.ts'
import type { ImageOnMap } from './map-table.ts'
import { partsOf, photoTagsOf, type PartOfTile } from './parts.ts'
import { createPhotosOfTile } from './photos.ts'
import { createTrailNames } from './trail-names.ts'
import { projectX, projectY, tileExtent, type Tile } from './world.ts'

/** Of a tile of so many photos that each square shows one: up to a thousand of them are looked up, one by one further in. */
const thinningCost = 3

/** Within the tile, and never on its far edge, which is the next tile's: whoever draws takes what is there for a double. */
const dot = (share: number): number => Math.min(tileExtent - 1, Math.max(0, Math.floor(share * tileExtent)))

/** What one part of a tile of many photos shows, and the count of commits before it was looked up. */
interface CachedPart {
  readonly since: number
  readonly features: readonly TileFeature[]
}

export interface PhotoLayer extends Layer {
  /** Undefined if the tile shows all of its photos. */
  readonly parts: readonly CachedPart[] | undefined
}

const isSame = (one: readonly TileFeature[], other: readonly TileFeature[]): boolean =>
  one.length === other.length && JSON.stringify(one) === JSON.stringify(other)

export function createPhotoLayer({ db, changes }: { readonly db: Db; readonly changes: Changes }) {
  const photosOf = createPhotosOfTile(db)
  const trailNames = createTrailNames({ db, changes })

  async function featuresOf(tile: Tile, photos: readonly ImageOnMap[]) {
    const names = await trailNames(photos.map(({ trailId }) => trailId))
    const side = 2 ** tile.z
    return photos.map(({ id, trailId, title, latitude, longitude }) => ({
      id,
      type: 1 as const,
      tags: { imageID: id, trailID: trailId, trailName: names.get(trailId) ?? '', title },
      geometry: [
        [dot(projectX(longitude) * side - tile.x), dot(projectY(latitude) * side - tile.y)] as const,
      ],
    }))
  }

  /** Looks up again, at once, all from the first to the last part that a commit has touched. */
  async function renewed(
    tile: Tile,
    before: readonly CachedPart[] | undefined,
  ): Promise<readonly CachedPart[]> {
    const parts = partsOf(tile)
    const isStale = ({ tags }: PartOfTile, at: number): boolean => {
      const cached = before?.[at]
      return cached === undefined || !changes.isUnchangedSince(cached.since, tags)
    }
    const from = parts.findIndex(isStale)
    const to = parts.findLastIndex(isStale)
    const [first, last] = [parts[from], parts[to]]
    if (first === undefined || last === undefined) return before ?? []
    const since = changes.count()
    const range = { first: first.first, last: last.last }
    const photos = await photosOf.listFirst(tile, range, createYielder(tileTurnMs))
    const features = await featuresOf(tile, photos)
    return parts.map((part, at) => {
      const cached = before?.[at]
      if (cached !== undefined && (at < from || at > to)) return cached
      const isWithin = (_: TileFeature, index: number): boolean => {
        const { cell = -1 } = photos[index] ?? {}
        return cell >= part.first && cell <= part.last
      }
      const found = features.filter(isWithin)
      // Few of many photos are shown, so most changes change nothing here.
      return {
        since,
        features: cached !== undefined && isSame(cached.features, found) ? cached.features : found,
      }
    })
  }

  /**
   * @param before the layer when the tile was last requested.
   * @param charge counts the cost of many photos, before they are looked up.
   */
  return async (tile: Tile, before: PhotoLayer | undefined, charge: Charge): Promise<PhotoLayer> => {
    if (before !== undefined && changes.isUnchangedSince(before.since, photoTagsOf(tile))) return before
    const since = changes.count() // before any query: a commit meanwhile makes the layer outdated at once
    const isCrowded = await photosOf.isCrowded(tile)
    if (isCrowded) charge(thinningCost)
    const parts = isCrowded ? await renewed(tile, before?.parts) : undefined
    const isUnchanged = parts?.every(({ features }, at) => features === before?.parts?.[at]?.features)
    if (before !== undefined && isUnchanged === true) return { bytes: before.bytes, since, parts }
    const features =
      parts?.flatMap((part) => part.features) ?? (await featuresOf(tile, await photosOf.list(tile)))
    const bytes = writeLayer('photos', features)
    return { bytes: before?.bytes.equals(bytes) === true ? before.bytes : bytes, since, parts }
  }
}
