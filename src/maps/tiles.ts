// Vector tiles of what everybody with a key may see: listed photos, public routes as shown to others, trails.
//
// What a tile is made of is looked up for every request, in a few queries; only where that has changed is a tile drawn
// again. So a cached one never outlives a decision, on whichever node it was taken.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { geoJSONToTile } from '@maplibre/geojson-vt'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import type { Db } from '../database/database.ts'
import { etagOf } from '../http/representation.ts'
import { createBoundedCache, createMarkedCache, entryBytes } from '../shared/bounded-cache.ts'
import { createLineCache, tileTurnMs, type LineCache, type MapLine } from './line-cache.ts'
import { trailNames, type LinesSought } from './map-table.ts'
import { createYielder, type Yielder } from '../shared/yielding.ts'
import { createPhotosOfTile } from './photos.ts'
import { findTrailLines } from './trail-lines.ts'
import {
  boxOfTile,
  partsWithin,
  projectX,
  projectY,
  tileBuffer,
  tileExtent,
  type Part,
  type Tile,
} from './world.ts'

export const maxZoom = 22

/** Of each kind, in one tile; those that spread the widest come first. */
const maxLines = 400
/** Points of routes that are read for one tile: 400 walks of a day. */
const maxPointsRead = 2_000_000
/** Points of lines in one tile, of each kind: more would be black. */
const maxPointsDrawn = 30_000
/** Of the tile, by which a drawn line may be off. */
const toleranceDots = 3
/** A line that is smaller is not drawn: on most screens it is two pixels. */
const minDots = 16

/** Points of lines that are read, or that are cached and looked through, for one unit of the rate limits. */
const pointsOfUnit = 10_000
const pointsOfUnitCached = 100_000

/** Of a tile of so many photos that each square shows one: up to a thousand of them are looked up, one by one further in. */
const thinningCost = 3

const maxLatest = 4_000
const maxCachedBytes = 16 * 1024 ** 2
/** Another one for every change of how tiles are drawn: it is in their ETags. */
const drawingVersion = 3

const compress = promisify(gzip)
/** Of zlib: its usual 6 takes more than twice as long and makes a tile of a thousand photos 1 % shorter. */
const compression = 3
/** Shorter tiles would hardly shrink. */
const minCompressedBytes = 1024

const options = {
  maxZoom: maxZoom + 2, // so that every tile we make is simplified
  tolerance: toleranceDots,
  extent: tileExtent,
  buffer: tileBuffer,
  coordinates: 'unitSquare',
  wrap: false,
  clip: true,
} as const

type Dot = readonly [x: number, y: number]

/** A feature in dots of its tile, as geojson-vt makes and vt-pbf takes it; their types reach us as any. */
interface TileFeature {
  readonly id: number
  /** Of the specification: a point or a line. */
  readonly type: 1 | 2
  readonly tags: Readonly<Record<string, string | number>>
  readonly geometry: readonly Dot[] | readonly (readonly Dot[])[]
}

/** Finds lines that may be shown to everybody. */
export type FindLines = (sought: LinesSought) => Promise<MapLine[]>

export interface TilesDependencies {
  readonly db: Db
  /** Public routes, as they are shown to others. */
  readonly findRoutes: FindLines
}

const writeTile = fromGeojsonVt as unknown as (
  layers: Readonly<Record<string, { readonly features: readonly TileFeature[] }>>,
  form: { readonly version: number; readonly extent: number },
) => Uint8Array

/** Every tile that there is: x and y below 2 to the power of z. */
export function tileAt(z: string, x: string, y: string): Tile | undefined {
  const [zoom = NaN, column = NaN, row = NaN] = [z, x, y].map((text) =>
    /^(0|[1-9]\d{0,6})$/.test(text) ? Number(text) : NaN,
  )
  const isTile = zoom <= maxZoom && column < 2 ** zoom && row < 2 ** zoom
  return isTile ? { z: zoom, x: column, y: row } : undefined
}

/** The part as the tile has it: cut at the buffer, simplified, in dots of the tile. */
function drawn(part: Part, { z, x, y }: Tile): readonly (readonly Dot[])[] {
  const geometry = { type: 'LineString' as const, coordinates: part }
  const tile: unknown = geoJSONToTile({ type: 'Feature', properties: {}, geometry }, z, x, y, options)
  const { features } = tile as { readonly features: readonly { readonly geometry: Dot[][] }[] }
  return features.flatMap((feature) => feature.geometry)
}

/** What lines are drawn with, for one tile. */
interface Drawing {
  readonly cache: LineCache
  readonly tile: Tile
  readonly yielder: Yielder
}

interface DrawnLines {
  readonly features: TileFeature[]
  /** False where one of them may not be shown any more, as of this moment. */
  readonly isComplete: boolean
}

async function drawLine(
  { cache, tile, yielder }: Drawing,
  line: MapLine,
): Promise<readonly (readonly Dot[])[] | undefined> {
  const chunks: (readonly Dot[])[] = []
  const worldLines = await cache.find(line, tile.z)
  if (worldLines === undefined) return undefined
  for (const worldLine of worldLines)
    await yielder.through(partsWithin(worldLine, tile), (part) => void chunks.push(...drawn(part, tile)))
  return chunks
}

async function drawLines(drawing: Drawing, lines: readonly MapLine[]): Promise<DrawnLines> {
  const features: TileFeature[] = []
  let isComplete = true
  let pointsRead = 0
  let pointsDrawn = 0
  for (const line of lines) {
    await drawing.yielder.yieldIfDue()
    pointsRead += line.pointCount
    if (pointsRead > maxPointsRead && features.length > 0) break
    const geometry = await drawLine(drawing, line)
    if (geometry === undefined) isComplete = false
    if (geometry === undefined || geometry.length === 0) continue
    pointsDrawn += geometry.reduce((sum, chunk) => sum + chunk.length, 0)
    if (pointsDrawn > maxPointsDrawn && features.length > 0) break
    features.push({ id: line.id, type: 2, tags: line.properties, geometry })
  }
  return { features, isComplete }
}

/** What the lines cost, in units of the rate limits: those that are read, and those that are only looked through. */
function costOf({ cache, tile }: Pick<Drawing, 'cache' | 'tile'>, lines: readonly MapLine[]): number {
  let cost = 0
  let pointsRead = 0
  for (const line of lines) {
    if (pointsRead > maxPointsRead) break
    pointsRead += line.pointCount
    cost += line.pointCount / (cache.has(line, tile.z) ? pointsOfUnitCached : pointsOfUnit)
  }
  return Math.floor(cost)
}

/** Within the tile, and never on its far edge, which is the next tile's: whoever draws takes what is there for a double. */
const dot = (share: number): number => Math.min(tileExtent - 1, Math.max(0, Math.floor(share * tileExtent)))

/** What a tile is made of, as of one moment. */
interface Sources {
  readonly trails: readonly MapLine[]
  readonly routes: readonly MapLine[]
  readonly photos: readonly TileFeature[]
}

export interface MadeTile {
  /** None where there is nothing to show. */
  readonly bytes: Buffer
  /** Undefined where compression would save nothing. */
  readonly compressed: Buffer | undefined
  /** Of the bytes as they are. */
  readonly etag: string
  /** False where something in it was hidden while it was drawn: whoever asks next may get another. */
  readonly isComplete: boolean
}

/** Of everything that a tile shows: the same for the same bytes. */
function etagFor({ trails, routes, photos }: Sources): string {
  const lines = [trails, routes].map((kind) => kind.map(({ key, properties }) => [key, properties]))
  return etagOf(JSON.stringify([drawingVersion, lines, photos]))
}

/** Counts what is done beyond what every tile takes. @throws refusal `too-many-requests`. */
export type Charge = (cost: number) => void

export function createTiles({ db, findRoutes }: TilesDependencies) {
  const cache = createLineCache()
  const made = createBoundedCache<MadeTile>({
    max: maxCachedBytes,
    sizeOf: ({ bytes, compressed, isComplete }) =>
      isComplete ? entryBytes + bytes.length + (compressed?.length ?? 0) : 0,
  })
  /** Under which key each tile was made, and as of which commit: until the next one it is the same. */
  const latest = createMarkedCache<string>({ max: maxLatest })
  const photosOf = createPhotosOfTile(db)

  async function findPhotos(tile: Tile, yielder: Yielder, charge: Charge): Promise<TileFeature[]> {
    const photos = await photosOf(tile, yielder, () => charge(thinningCost))
    const names = await trailNames(db, [...new Set(photos.map(({ trailId }) => trailId))])
    const side = 2 ** tile.z
    return photos.map(({ id, trailId, title, latitude, longitude }) => ({
      id,
      type: 1,
      tags: { imageID: id, trailID: trailId, trailName: names.get(trailId) ?? '', title },
      geometry: [[dot(projectX(longitude) * side - tile.x), dot(projectY(latitude) * side - tile.y)]],
    }))
  }

  async function findSources(tile: Tile, yielder: Yielder, charge: Charge): Promise<Sources> {
    const box = boxOfTile(tile)
    const minDegrees = (minDots / tileExtent) * (360 / 2 ** tile.z)
    const sought = { box, minDegrees, limit: maxLines }
    const trails = await findTrailLines(db, sought)
    await yielder.yieldIfDue()
    const routes = await findRoutes(sought)
    await yielder.yieldIfDue()
    return { trails, routes, photos: await findPhotos(tile, yielder, charge) }
  }

  async function draw(tile: Tile, sources: Sources, etag: string): Promise<MadeTile> {
    const yielder = createYielder(tileTurnMs)
    const drawing = { cache, tile, yielder }
    const trails = await drawLines(drawing, sources.trails)
    const routes = await drawLines(drawing, sources.routes)
    const layers = { trails: trails.features, routes: routes.features, photos: sources.photos }
    await yielder.yieldNow() // what follows takes some milliseconds
    const shown = Object.entries(layers).filter(([, features]) => features.length > 0)
    const written = writeTile(Object.fromEntries(shown.map(([name, features]) => [name, { features }])), {
      version: 2,
      extent: tileExtent,
    })
    const bytes = Buffer.from(written) // of its own memory, which is all that the cache holds
    const compressed =
      bytes.length < minCompressedBytes ? undefined : await compress(bytes, { level: compression })
    const isComplete = trails.isComplete && routes.isComplete
    // What lacks something must not pass for what has it, should that be shown again.
    return { bytes, compressed, etag: isComplete ? etag : etagOf(bytes), isComplete }
  }

  return {
    /** The tile as it is at this moment. @throws what `charge` does, before anything is drawn. */
    find: async (tile: Tile, charge: Charge): Promise<MadeTile> => {
      const place = `${tile.z}/${tile.x}/${tile.y}`
      const asOf = db.commitMark?.() // before anything is looked up: a commit meanwhile makes it old at once
      const before = asOf === undefined ? undefined : latest.get(place, asOf)
      const unchanged = before === undefined ? undefined : made.get(before)
      if (unchanged !== undefined) return unchanged
      const sources = await findSources(tile, createYielder(tileTurnMs), charge)
      const etag = etagFor(sources)
      const key = `${place} ${etag}`
      if (asOf !== undefined) latest.set(place, asOf, key)
      if (!made.has(key)) charge(costOf({ cache, tile }, [...sources.trails, ...sources.routes]))
      return made.find(key, () => draw(tile, sources, etag))
    },
  }
}

export type Tiles = ReturnType<typeof createTiles>
