// Vector tiles of public content: listed photos, public views of routes, and trails.
//
// A tile is three layers, each cached until a commit on any node changes what it shows. So a new or deleted photo
// redraws no line, and what staff unpublish is missing from the next tile.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Changes, Tag } from '../commits.ts'
import type { Db } from '../database/database.ts'
import { etagOf } from '../http/representation.ts'
import { createBoundedCache, entryBytes } from '../shared/bounded-cache.ts'
import { yieldTurn } from '../shared/yielding.ts'
import type { Charge, Layer } from './layer.ts'
import { createLineCache } from './line-cache.ts'
import { createLineLayer, type FindLines } from './line-layer.ts'
import { photoTagsOf } from './parts.ts'
import { createPhotoLayer, type PhotoLayer } from './photo-layer.ts'
import { createFindTrailLines } from './trail-lines.ts'
import type { Tile } from './world.ts'

const maxCachedBytes = 24 * 1024 ** 2

const compress = promisify(gzip)
/** The zlib level: its default of 6 takes 2.5 times as long, and makes a tile of a thousand photos 3 % smaller. */
const compression = 1
/** Shorter tiles would hardly shrink. */
const minCompressedBytes = 1024

export interface TilesDependencies {
  readonly db: Db
  readonly changes: Changes
  /** Public routes, as they are shown to others. */
  readonly findRoutes: FindLines
}

export interface MadeTile {
  /** None if there is nothing to show. */
  readonly bytes: Buffer
  /** Of the uncompressed bytes. */
  readonly etag: string
  /** Whether compression would save anything. */
  readonly isLong: boolean
}

/** A tile with its layers. */
interface CachedTile {
  readonly layers: readonly [trails: Layer, routes: Layer, photos: PhotoLayer]
  readonly made: MadeTile
}

function joined(layers: readonly Layer[]): MadeTile {
  const bytes = Buffer.concat(layers.map((layer) => layer.bytes))
  return { bytes, etag: etagOf(bytes), isLong: bytes.length >= minCompressedBytes }
}

/** What a tile depends on; the lines of trails on what changes everything. */
export const tagsOf = (tile: Tile): readonly Tag[] => ['routes', ...photoTagsOf(tile)]

export function createTiles({ db, changes, findRoutes }: TilesDependencies) {
  const cache = createLineCache()
  const findTrails = createFindTrailLines(db)
  const trailsOf = createLineLayer({ name: 'trails', changes, dependsOn: [], findLines: findTrails, cache })
  const routesOf = createLineLayer({
    name: 'routes',
    changes,
    dependsOn: ['routes'],
    findLines: findRoutes,
    cache,
  })
  const photosOf = createPhotoLayer({ db, changes })
  const tileCache = createBoundedCache<CachedTile>({
    max: maxCachedBytes,
    // The tile, its layers, and what the layer of photos is written from, which takes twice as much.
    sizeOf: ({ made, layers: [, , photos] }) => entryBytes + 2 * made.bytes.length + 3 * photos.bytes.length,
  })
  const compressed = createBoundedCache<Buffer>({
    max: maxCachedBytes / 4,
    sizeOf: (bytes) => entryBytes + bytes.length,
  })

  return {
    /** The current tile. @throws the error of `charge`, before the counted work is done. */
    find: async (tile: Tile, charge: Charge): Promise<MadeTile> => {
      const place = `${tile.z}/${tile.x}/${tile.y}`
      changes.look()
      const before = tileCache.get(place)
      const since = Math.min(...(before?.layers.map((layer) => layer.since) ?? []))
      if (before !== undefined && changes.isUnchangedSince(since, tagsOf(tile))) return before.made
      // Other requests get their turn between two tiles: many are requested at once, and each takes some milliseconds.
      await yieldTurn()
      const layers = [
        await trailsOf(tile, before?.layers[0], charge),
        await routesOf(tile, before?.layers[1], charge),
        await photosOf(tile, before?.layers[2], charge),
      ] as const
      const isSame =
        before !== undefined && layers.every(({ bytes }, at) => bytes === before.layers[at]?.bytes)
      const made = isSame ? before.made : joined(layers)
      tileCache.set(place, { layers, made })
      return made
    },

    /** Its gzip form, made when a client accepts it. */
    compress: ({ bytes, etag }: MadeTile): Promise<Buffer> =>
      compressed.find(etag, () => compress(bytes, { level: compression })),
  }
}

export type Tiles = ReturnType<typeof createTiles>
