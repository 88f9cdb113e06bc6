// A map position as one number: the tile of zoom 24 that contains it, x and y interleaved (Morton order).
// The cells of any tile of a lower zoom are then one range, which an index can walk.

export const cellZoom = 24
const side = 2 ** cellZoom

/** The latitude at which the square of Web Mercator ends (EPSG:3857). */
const maxLatitude = 85.0511287798066

const clamp = (value: number): number => Math.min(side - 1, Math.max(0, Math.floor(value)))

/** Bits of the two, one by one; 48 in all, so no operator of 32 bits will do for the whole. */
function interleave(x: number, y: number): number {
  let cell = 0
  for (let bit = cellZoom - 1; bit >= 0; bit -= 1) cell = cell * 4 + ((y >> bit) & 1) * 2 + ((x >> bit) & 1)
  return cell
}

function columnOf(longitude: number): number {
  return clamp(((longitude + 180) / 360) * side)
}

function rowOf(latitude: number): number {
  const phi = (Math.min(maxLatitude, Math.max(-maxLatitude, latitude)) * Math.PI) / 180
  return clamp(((1 - Math.asinh(Math.tan(phi)) / Math.PI) / 2) * side)
}

/** @param latitude degrees, WGS84. @param longitude degrees. @returns a whole number below 2^48. */
export function cellOf(latitude: number, longitude: number): number {
  return interleave(columnOf(longitude), rowOf(latitude))
}

/** The cells within the tile: from the first to the last, both included. */
export function cellsOfTile(z: number, x: number, y: number): CellRange {
  const scale = 2 ** (cellZoom - z)
  const first = interleave(x * scale, y * scale)
  return { first, last: first + scale * scale - 1 }
}

/** The zoom whose tiles are the squares in commit tags (commits.ts): about 150 km wide. */
export const toldZoom = 8
export const cellsOfTold = 4 ** (cellZoom - toldZoom)

/** The square of that zoom that the cell is in. */
export const toldSquareOf = (cell: number): number => Math.floor(cell / cellsOfTold)

export interface CellRange {
  readonly first: number
  /** Included. */
  readonly last: number
}

interface Rectangle {
  readonly fromX: number
  readonly fromY: number
  readonly toX: number
  readonly toY: number
}

/** What a tile has to do with the rectangle. */
function meeting({ z, x, y }: Quad, { fromX, fromY, toX, toY }: Rectangle): 'apart' | 'part' | 'whole' {
  const scale = 2 ** (cellZoom - z)
  const [left, top, right, bottom] = [x * scale, y * scale, (x + 1) * scale - 1, (y + 1) * scale - 1]
  if (left > toX || right < fromX || top > toY || bottom < fromY) return 'apart'
  return left >= fromX && right <= toX && top >= fromY && bottom <= toY ? 'whole' : 'part'
}

interface Quad {
  readonly z: number
  readonly x: number
  readonly y: number
}

const childrenOf = ({ z, x, y }: Quad): Quad[] =>
  [0, 1].flatMap((down) => [0, 1].map((right) => ({ z: z + 1, x: 2 * x + right, y: 2 * y + down })))

/**
 * Ranges that contain every cell of the box, and as little else as this many ranges can; in order.
 * @param box degrees; its west is greater than its east if it crosses the antimeridian.
 */
export function cellRangesOf(
  box: { readonly west: number; readonly south: number; readonly east: number; readonly north: number },
  max: number,
): CellRange[] {
  const [fromX, toX, fromY, toY] = [
    columnOf(box.west),
    columnOf(box.east),
    rowOf(box.north),
    rowOf(box.south),
  ]
  const rectangles =
    box.west <= box.east
      ? [{ fromX, toX, fromY, toY }]
      : [
          { fromX, toX: side - 1, fromY, toY },
          { fromX: 0, toX, fromY, toY },
        ]
  const meetsAny = (quad: Quad): 'apart' | 'part' | 'whole' => {
    const met = new Set(rectangles.map((rectangle) => meeting(quad, rectangle)))
    if (met.has('whole')) return 'whole'
    return met.has('part') ? 'part' : 'apart'
  }
  const whole: Quad[] = []
  let parts: Quad[] = [{ z: 0, x: 0, y: 0 }]
  // The largest first, which are those that have waited longest: all of a queue are of one zoom or the next.
  while (parts.length > 0 && whole.length + parts.length + 3 <= max) {
    const [largest, ...rest] = parts
    if (largest === undefined || largest.z === cellZoom) break
    parts = rest
    const met = childrenOf(largest).map((quad) => ({ quad, how: meetsAny(quad) }))
    whole.push(...met.filter(({ how }) => how === 'whole').map(({ quad }) => quad))
    parts.push(...met.filter(({ how }) => how === 'part').map(({ quad }) => quad))
  }
  const ranges = [...whole, ...parts]
    .map(({ z, x, y }) => cellsOfTile(z, x, y))
    .toSorted((one, other) => one.first - other.first)
  const joined: CellRange[] = []
  for (const range of ranges) {
    const before = joined.at(-1)
    if (before?.last === range.first - 1) joined.splice(-1, 1, { first: before.first, last: range.last })
    else joined.push(range)
  }
  return joined
}
