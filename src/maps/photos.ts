// Which photos a tile shows: all of them, or where there are many the first of each square of a grid.
//
// Down to some zoom, the first photo of each square is known (map-squares.ts). Further in, where a crowd stands close, the
// squares are ranges of cells in the order of the index: from one photo it goes on in the square after the photo's own, so
// that any tile costs as many steps as it has squares.
import { cellsOfTile, cellZoom } from '../shared/geo/cells.ts'
import type { Db } from '../database/database.ts'
import { squareZooms } from '../database/map-squares.ts'
import { createPhotoQueries, type ImageOnMap, type SquareRange } from './map-table.ts'
import type { Yielder } from '../shared/yielding.ts'
import type { Tile } from './world.ts'

const maxPhotos = 1_000
/** 32 × 32 squares. */
const gridZooms = 5

/** Those of the grid; undefined where they are so small that nobody counts what is in them. */
function squaresOf({ z, x, y }: Tile): SquareRange | undefined {
  const zoom = z + gridZooms
  if (zoom < squareZooms.first || zoom > squareZooms.last) return undefined
  const { first, last } = cellsOfTile(z, x, y)
  const cellsOfSquare = 4 ** (cellZoom - zoom)
  return { zoom, first: first / cellsOfSquare, last: Math.floor(last / cellsOfSquare) }
}

export function createPhotosOfTile(db: Db) {
  const queries = createPhotoQueries(db)

  async function thinned({ z, x, y }: Tile, yielder: Yielder): Promise<ImageOnMap[]> {
    const { first, last } = cellsOfTile(z, x, y)
    const cellsOfSquare = 4 ** (cellZoom - z - gridZooms)
    const found: ImageOnMap[] = []
    for (let from = first; from <= last;) {
      const photo = await queries.firstInCells({ first: from, last })
      if (photo === undefined) break
      found.push(photo)
      from = (Math.floor(photo.cell / cellsOfSquare) + 1) * cellsOfSquare
      await yielder.yieldIfDue()
    }
    return found
  }

  /** @param onThinning is called before much is looked up; what it throws ends the search. */
  return async (tile: Tile, yielder: Yielder, onThinning: () => void): Promise<ImageOnMap[]> => {
    const cells = cellsOfTile(tile.z, tile.x, tile.y)
    const squares = squaresOf(tile)
    // Where a square would be smaller than a cell, the tile is ten metres wide: what is more there stands on one spot.
    const canBeThinned = tile.z + gridZooms <= cellZoom
    const hasMore = async (): Promise<boolean> =>
      squares ? (await queries.countInSquares(squares)) > maxPhotos : queries.areMoreThan(cells, maxPhotos)
    if (!canBeThinned || !(await hasMore())) return queries.listInCells(cells, maxPhotos)
    onThinning()
    return squares ? queries.listFirstOfSquares(squares) : thinned(tile, yielder)
  }
}
