// Builds a vector tile of what everybody with a key may see: listed photos, public routes as shown to others, trails.
import { geoJSONToTile } from '@maplibre/geojson-vt'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import type { Db } from '../database/database.ts'
import { createLineCache, type LineCache, type MapLine } from './line-cache.ts'
import { trailNames, type LinesSought } from './map-table.ts'
import { createPauses, type Pauses } from './pauses.ts'
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

export const mostZoom = 22

/** Of each kind, in one tile; those that spread the widest come first. */
const mostLines = 400
/** Points of routes that are read for one tile: 400 walks of a day. */
const mostPointsRead = 2_000_000
/** Points of lines in one tile, of each kind: more would be black. */
const mostPointsDrawn = 30_000
/** Of the tile, by which a drawn line may be off. */
const toleranceDots = 3
/** A line that is smaller is not drawn: on most screens it is two pixels. */
const leastDots = 16

const options = {
  maxZoom: mostZoom + 2, // so that every tile we make is simplified
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
  readonly imageHandlerUrl: string
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
  const isTile = zoom <= mostZoom && column < 2 ** zoom && row < 2 ** zoom
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
  readonly pauses: Pauses
}

async function drawLine(
  { cache, tile, pauses }: Drawing,
  line: MapLine,
): Promise<readonly (readonly Dot[])[]> {
  const pieces: (readonly Dot[])[] = []
  for (const worldLine of (await cache.find(line, tile.z)) ?? [])
    await pauses.through(partsWithin(worldLine, tile), (part) => void pieces.push(...drawn(part, tile)))
  return pieces
}

async function drawLines(drawing: Drawing, lines: readonly MapLine[]): Promise<TileFeature[]> {
  const features: TileFeature[] = []
  let pointsRead = 0
  let pointsDrawn = 0
  for (const line of lines) {
    await drawing.pauses.restIfDue()
    pointsRead += line.pointCount
    if (pointsRead > mostPointsRead && features.length > 0) break
    const geometry = await drawLine(drawing, line)
    if (geometry.length === 0) continue
    pointsDrawn += geometry.reduce((sum, piece) => sum + piece.length, 0)
    if (pointsDrawn > mostPointsDrawn && features.length > 0) break
    features.push({ id: line.id, type: 2, tags: line.properties, geometry })
  }
  return features
}

/** Within the tile, and never on its far edge, which is the next tile's: whoever draws takes what is there for a double. */
const dot = (share: number): number => Math.min(tileExtent - 1, Math.max(0, Math.floor(share * tileExtent)))

export function createTiles({ db, imageHandlerUrl, findRoutes }: TilesDependencies) {
  const cache = createLineCache()
  const photosOf = createPhotosOfTile(db)

  async function drawPhotos(tile: Tile, pauses: Pauses): Promise<TileFeature[]> {
    const photos = await photosOf(tile, pauses)
    const names = await trailNames(db, [...new Set(photos.map(({ trailId }) => trailId))])
    const side = 2 ** tile.z
    return photos.map(({ id, trailId, title, latitude, longitude }) => ({
      id,
      type: 1,
      tags: {
        imageID: id,
        trailID: trailId,
        trailName: names.get(trailId) ?? '',
        title,
        sm: `${imageHandlerUrl}?id=${id}&t=sm`,
        md: `${imageHandlerUrl}?id=${id}&t=md`,
      },
      geometry: [[dot(projectX(longitude) * side - tile.x), dot(projectY(latitude) * side - tile.y)]],
    }))
  }

  return {
    /** @returns the tile's bytes; none where there is nothing to show. */
    build: async (tile: Tile): Promise<Uint8Array> => {
      const box = boxOfTile(tile)
      const leastDegrees = (leastDots / tileExtent) * (360 / 2 ** tile.z)
      const sought = { box, leastDegrees, limit: mostLines }
      const pauses = createPauses()
      const drawing = { cache, tile, pauses }
      const trails = await drawLines(drawing, await findTrailLines(db, sought))
      await pauses.rest() // what follows is one query of some milliseconds
      const routes = await drawLines(drawing, await findRoutes(sought))
      const layers = { trails, routes, photos: await drawPhotos(tile, pauses) }
      await pauses.rest() // and so is what writes them
      const shown = Object.entries(layers).filter(([, features]) => features.length > 0)
      return writeTile(Object.fromEntries(shown.map(([name, features]) => [name, { features }])), {
        version: 2,
        extent: tileExtent,
      })
    },
  }
}

export type Tiles = ReturnType<typeof createTiles>
