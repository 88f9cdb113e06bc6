// The parts of a tile that commits tell apart: what happens to a photo elsewhere leaves the photos of a part as they are.
import type { Tag } from '../commits.ts'
import { cellsOfTile, cellsOfTold, toldSquareOf, toldZoom, type CellRange } from '../shared/geo/cells.ts'
import type { Tile } from './world.ts'

/** A tile further out would depend on hundreds of squares: it depends on all photos instead. */
const maxSquares = 16

export interface PartOfTile extends CellRange {
  /** What its photos depend on. */
  readonly tags: readonly Tag[]
}

/** In the order of their cells. */
export function partsOf({ z, x, y }: Tile): readonly PartOfTile[] {
  const cells = cellsOfTile(z, x, y)
  const count = 4 ** Math.max(0, toldZoom - z)
  if (count > maxSquares) return [{ ...cells, tags: ['photos'] }]
  const square = toldSquareOf(cells.first)
  if (count === 1) return [{ ...cells, tags: ['squares', `square:${square}`] }]
  return Array.from({ length: count }, (_, at) => {
    const first = (square + at) * cellsOfTold
    return { first, last: first + cellsOfTold - 1, tags: ['squares', `square:${square + at}`] }
  })
}

/** What the photos of the whole tile depend on. */
export const photoTagsOf = (tile: Tile): readonly Tag[] => [
  ...new Set(partsOf(tile).flatMap(({ tags }) => tags)),
]
