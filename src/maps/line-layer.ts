// The lines of a tile as a layer: trails, or public routes. Redrawn only if one of the lines has changed.
import { createHash } from 'node:crypto'
import { geoJSONToTile } from '@maplibre/geojson-vt'
import type { Changes, Tag } from '../commits.ts'
import { createSingleFlight } from '../shared/single-flight.ts'
import { createYielder, type Yielder } from '../shared/yielding.ts'
import { writeLayer, type Charge, type Dot, type Layer, type TileFeature } from './layer.ts'
import { tileTurnMs, type LineCache, type MapLine } from './line-cache.ts'
import type { LinesSought } from './map-table.ts'
import { boxOfTile, maxZoom, partsWithin, tileBuffer, tileExtent, type Part, type Tile } from './world.ts'

/** Of each kind, per tile; the most extended come first. */
const maxLines = 400
/** Points of routes that are read for one tile: 400 day hikes. */
const maxPointsRead = 2_000_000
/** Points of lines in one tile, of each kind: more would be black. */
const maxPointsDrawn = 30_000
/** In units of the tile: how far a drawn line may be off. */
const toleranceDots = 3
/** A line that is smaller is not drawn: on most screens it is two pixels. */
const minDots = 16

/** Points of lines that are read, or that are cached and looked through, for one unit of the rate limits. */
const pointsOfUnit = 10_000
const pointsOfUnitCached = 100_000

const options = {
  maxZoom: maxZoom + 2, // so that every tile we make is simplified
  tolerance: toleranceDots,
  extent: tileExtent,
  buffer: tileBuffer,
  coordinates: 'unitSquare',
  wrap: false,
  clip: true,
} as const

/** Finds lines that everybody may see. */
export type FindLines = (sought: LinesSought) => Promise<MapLine[]>

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
  /** False if one of them may no longer be shown. */
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

export interface LineLayerDependencies {
  readonly name: string
  readonly changes: Changes
  /** What the lines depend on, apart from what changes everything. */
  readonly dependsOn: readonly Tag[]
  readonly findLines: FindLines
  readonly cache: LineCache
}

const sourceOf = (lines: readonly MapLine[]): string =>
  createHash('sha256')
    .update(JSON.stringify(lines.map(({ key, properties }) => [key, properties])))
    .digest('base64url')

/** Before the first commit: anything older is looked up again. */
const never = -1

export function createLineLayer({ name, changes, dependsOn, findLines, cache }: LineLayerDependencies) {
  const underWay = createSingleFlight<string, Pick<Layer, 'bytes'> & { readonly isComplete: boolean }>()

  async function draw(tile: Tile, lines: readonly MapLine[]) {
    const yielder = createYielder(tileTurnMs)
    const { features, isComplete } = await drawLines({ cache, tile, yielder }, lines)
    await yielder.yieldIfDue()
    return { bytes: writeLayer(name, features), isComplete }
  }

  /**
   * @param before the layer when the tile was last requested.
   * @param charge counts the cost of the lines, before any is drawn.
   */
  return async (tile: Tile, before: Layer | undefined, charge: Charge): Promise<Layer> => {
    if (before !== undefined && changes.isUnchangedSince(before.since, dependsOn)) return before
    const since = changes.count() // before any query: a commit meanwhile makes the layer outdated at once
    const minDegrees = (minDots / tileExtent) * (360 / 2 ** tile.z)
    const lines = await findLines({ box: boxOfTile(tile), minDegrees, limit: maxLines })
    const source = sourceOf(lines)
    if (before?.source === source) return { ...before, since }
    const key = `${tile.z}/${tile.x}/${tile.y} ${source}`
    if (!underWay.has(key)) charge(costOf({ cache, tile }, lines))
    const { bytes, isComplete } = await underWay.run(key, () => draw(tile, lines))
    // One that lacks something must not pass for what has it, should that be shown again.
    return isComplete ? { bytes, since, source } : { bytes, since: never }
  }
}
