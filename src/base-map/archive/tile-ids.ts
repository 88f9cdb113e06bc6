// Tile IDs in PMTiles: by zoom, and within a zoom along the Hilbert curve; and the IDs of all tiles that intersect a
// box.
import type { Box } from './header.ts'
import { wrongArchive } from './wrong-archive.ts'

/** The latitude limit of Web Mercator. */
const maxLatitude = 85.051128779806
/** Limit per box: a row of tiles around the earth has this many ranges at zoom 19. */
export const maxRanges = 1_000_000

/** The first tile ID of a zoom. */
export const firstIdOf = (zoom: number): number => (4 ** zoom - 1) / 3

/** @param place along the curve of the zoom. */
function columnAndRow(zoom: number, place: number): readonly [number, number] {
  let [x, y] = [0, 0]
  let rest = place
  for (let side = 1; side < 2 ** zoom; side *= 2) {
    const quarter = rest % 4
    rest = Math.floor(rest / 4)
    const right = quarter >= 2 ? 1 : 0
    const below = quarter === 1 || quarter === 2 ? 1 : 0
    if (below === 0) {
      if (right === 1) [x, y] = [side - 1 - x, side - 1 - y]
      ;[x, y] = [y, x]
    }
    x += right * side
    y += below * side
  }
  return [x, y]
}

interface TileBox {
  /** One, or two if the box crosses the antimeridian. */
  readonly columns: readonly (readonly [number, number])[]
  readonly rows: readonly [number, number]
}

/** First and last tile; touching the edge of a tile does not count. */
function tilesBetween(from: number, to: number, side: number): readonly [number, number] {
  const first = Math.min(side - 1, Math.max(0, Math.floor(from * side)))
  return [first, Math.min(side - 1, Math.max(first, Math.ceil(to * side) - 1))]
}

const columnOf = (longitude: number): number => (longitude + 180) / 360

function rowOf(latitude: number): number {
  const phi = (Math.min(maxLatitude, Math.max(-maxLatitude, latitude)) * Math.PI) / 180
  return (1 - Math.asinh(Math.tan(phi)) / Math.PI) / 2
}

function tileBoxOf({ west, south, east, north }: Box, zoom: number): TileBox {
  const side = 2 ** zoom
  const spans = west <= east ? [[west, east] as const] : [[west, 180] as const, [-180, east] as const]
  return {
    columns: spans.map(([from, to]) => tilesBetween(columnOf(from), columnOf(to), side)),
    rows: tilesBetween(rowOf(north), rowOf(south), side),
  }
}

/** IDs from `starts[i]` up to but excluding `ends[i]`; ascending and disjoint. */
export interface IdRanges {
  readonly starts: Float64Array
  readonly ends: Float64Array
}

/** @throws Error with one sentence if there would be too many. */
export function rangesOfBox(box: Box, minZoom: number, maxZoom: number): IdRanges {
  const starts: number[] = []
  const ends: number[] = []
  const note = (start: number, end: number): void => {
    if (ends.at(-1) === start) ends[ends.length - 1] = end
    else {
      starts.push(start)
      ends.push(end)
    }
    if (starts.length > maxRanges)
      throw wrongArchive('The box is too large for this zoom: choose a smaller box, or less with --max-zoom.')
  }

  for (let zoom = minZoom; zoom <= maxZoom; zoom += 1) {
    const { columns, rows } = tileBoxOf(box, zoom)
    const first = firstIdOf(zoom)
    /** A tile of a lower zoom with all tiles below it, which form one range of IDs. */
    const visit = (level: number, place: number): void => {
      const scale = 2 ** (zoom - level)
      const [x, y] = columnAndRow(level, place)
      const [left, top] = [x * scale, y * scale]
      const [right, bottom] = [left + scale - 1, top + scale - 1]
      if (bottom < rows[0] || top > rows[1]) return
      const met = columns.filter(([from, to]) => right >= from && left <= to)
      if (met.length === 0) return
      const isWhole =
        top >= rows[0] && bottom <= rows[1] && met.some(([from, to]) => left >= from && right <= to)
      if (isWhole) return note(first + place * scale * scale, first + (place + 1) * scale * scale)
      for (let quarter = 0; quarter < 4; quarter += 1) visit(level + 1, place * 4 + quarter)
    }
    visit(0, 0)
  }
  return { starts: Float64Array.from(starts), ends: Float64Array.from(ends) }
}

/** The first range that ends after the ID; the number of ranges if there is none. */
export function rangeAfter({ ends }: IdRanges, id: number): number {
  let [low, high] = [0, ends.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ends[middle] ?? 0) > id) high = middle
    else low = middle + 1
  }
  return low
}
