// Lines in the square of Web Mercator (EPSG:3857), x and y from 0 to 1, y downward: what tiles are cut from.
//
// A line goes from point to point the shorter way around the globe, so its x may leave the square: one that crosses the
// antimeridian goes on past 1, or below 0, and is cut out of the tiles of either edge. None is drawn across the world.
import type { Line } from '../shared/geo/points.ts'

export const maxZoom = 22
export const tileExtent = 4096
/** How far a tile extends beyond its edges, so that a wide stroke is not cut off there. */
export const tileBuffer = 64

/** The latitude at which the square ends. */
const maxLatitude = 85.0511287798066

export interface Tile {
  readonly z: number
  readonly x: number
  readonly y: number
}

/** Every tile that there is: x and y below 2 to the power of z. */
export function tileAt(z: string, x: string, y: string): Tile | undefined {
  const [zoom = NaN, column = NaN, row = NaN] = [z, x, y].map((text) =>
    /^(0|[1-9]\d{0,6})$/.test(text) ? Number(text) : NaN,
  )
  const isTile = zoom <= maxZoom && column < 2 ** zoom && row < 2 ** zoom
  return isTile ? { z: zoom, x: column, y: row } : undefined
}

export const projectX = (lon: number): number => (lon + 180) / 360

export function projectY(lat: number): number {
  const phi = (Math.min(maxLatitude, Math.max(-maxLatitude, lat)) * Math.PI) / 180
  return (1 - Math.asinh(Math.tan(phi)) / Math.PI) / 2
}

const lonOf = (x: number): number => x * 360 - 180
const latOf = (y: number): number => (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI

/** An edge of the tile with its buffer, in the square. */
function edgesOf({ z, x, y }: Tile) {
  const buffer = tileBuffer / tileExtent
  const side = 2 ** z
  return {
    left: (x - buffer) / side,
    right: (x + 1 + buffer) / side,
    top: (y - buffer) / side,
    bottom: (y + 1 + buffer) / side,
  }
}

const aroundGlobe = (lon: number): number => (lon < -180 ? lon + 360 : lon > 180 ? lon - 360 : lon)

/** Everything that the tile shows, its buffer too; west is greater than east across the antimeridian. */
export function boxOfTile(tile: Tile) {
  const { left, right, top, bottom } = edgesOf(tile)
  const isWhole = right - left >= 1
  return {
    west: isWhole ? -180 : aroundGlobe(lonOf(left)),
    east: isWhole ? 180 : aroundGlobe(lonOf(right)),
    // Points closer to a pole than the square are drawn on its edge.
    north: top <= 0 ? 90 : latOf(top),
    south: bottom >= 1 ? -90 : latOf(bottom),
  }
}

/** Points as x, y, x, y… */
export interface WorldLine {
  readonly places: Float64Array
  readonly left: number
  readonly right: number
}

/** Points processed before other requests get their turn: about 1 ms. */
const pointsOfTurn = 8 * 1024

/** The lines without the points that a tile of this zoom cannot distinguish from the one before. */
export function* worldLines(lines: readonly Line[], zoom: number): Generator<undefined, WorldLine[]> {
  const min = 1 / (tileExtent * 2 ** zoom)
  const made: WorldLine[] = []
  let untilTurn = pointsOfTurn
  for (const { points, first, end } of lines) {
    const places: number[] = []
    let [left, right] = [Infinity, -Infinity]
    let [keptX, keptY, lastX] = [NaN, NaN, NaN]
    for (let index = first; index < end; index += 1) {
      let x = projectX(points.lon(index))
      if (index > first) x += Math.round(lastX - x) // the copy of the place that is nearest to the one before
      lastX = x
      const y = projectY(points.lat(index))
      untilTurn -= 1
      if (untilTurn === 0) {
        untilTurn = pointsOfTurn
        yield
      }
      const isNear = Math.abs(x - keptX) < min && Math.abs(y - keptY) < min
      if (isNear && index < end - 1) continue
      places.push(x, y)
      left = Math.min(left, x)
      right = Math.max(right, x)
      keptX = x
      keptY = y
    }
    if (places.length >= 4) made.push({ places: Float64Array.from(places), left, right })
  }
  return made
}

/** What geojson-vt is given at once: it may take the square of it to simplify. */
const maxPointsOfPart = 2_000

export type Part = [x: number, y: number][]

/** The parts of the line that meet the tile, each slightly longer than what is visible. */
export function* partsWithin(
  { places, left, right }: WorldLine,
  tile: Tile,
): Generator<Part | undefined, void> {
  const edges = edgesOf(tile)
  let untilTurn = pointsOfTurn
  const lastCopy = Math.floor(edges.right - left)
  for (let copy = Math.ceil(edges.left - right); copy <= lastCopy; copy += 1) {
    let part: Part = []
    for (let at = 2; at < places.length; at += 2) {
      untilTurn -= 1
      if (untilTurn === 0) {
        untilTurn = pointsOfTurn
        yield
      }
      const fromX = (places[at - 2] ?? NaN) + copy
      const fromY = places[at - 1] ?? NaN
      const toX = (places[at] ?? NaN) + copy
      const toY = places[at + 1] ?? NaN
      const isOutside =
        Math.max(fromX, toX) < edges.left ||
        Math.min(fromX, toX) > edges.right ||
        Math.max(fromY, toY) < edges.top ||
        Math.min(fromY, toY) > edges.bottom
      if (isOutside || part.length >= maxPointsOfPart) {
        if (part.length > 0) yield part
        part = []
      }
      if (isOutside) continue
      if (part.length === 0) part.push([fromX, fromY])
      part.push([toX, toY])
    }
    if (part.length > 0) yield part
  }
}
