// Which photos a tile shows: all of them or, if there are many, the first of each square of a grid.
//
// Down to some zoom, the first photo of each square is stored (map-squares.ts). Further in, squares are ranges of cells
// in index order: the search continues from one photo with the next square, so that any tile takes as many steps as it
// has squares.
import { cellsOfTile, cellZoom, type CellRange } from '../shared/geo/cells.ts'
import type { Db } from '../database/database.ts'
import { squareZooms } from '../database/map-squares.ts'
import { createPhotoQueries, type ImageOnMap, type PlacedImage, type SquareRange } from './map-table.ts'
import type { Yielder } from '../shared/yielding.ts'
import type { Tile } from './world.ts'

const maxPhotos = 1_000
/** 32 × 32 squares. */
const gridZooms = 5

/** Squares of the grid with these cells; undefined if they are too small to be counted. */
function squaresOf({ z }: Tile, { first, last }: CellRange): SquareRange | undefined {
  const zoom = z + gridZooms
  if (zoom < squareZooms.first || zoom > squareZooms.last) return undefined
  const cellsOfSquare = 4 ** (cellZoom - zoom)
  return { zoom, first: first / cellsOfSquare, last: Math.floor(last / cellsOfSquare) }
}

export function createPhotosOfTile(db: Db) {
  const queries = createPhotoQueries(db)

  return {
    /** Whether the tile has so many photos that it shows only the first of each square. */
    isCrowded: async (tile: Tile): Promise<boolean> => {
      // If a square would be smaller than a cell, the tile is ten metres wide, and more photos are at one spot.
      if (tile.z + gridZooms > cellZoom) return false
      const cells = cellsOfTile(tile.z, tile.x, tile.y)
      const squares = squaresOf(tile, cells)
      return squares
        ? (await queries.countInSquares(squares)) > maxPhotos
        : queries.areMoreThan(cells, maxPhotos)
    },

    /** All of them. */
    list: ({ z, x, y }: Tile): Promise<ImageOnMap[]> => queries.listInCells(cellsOfTile(z, x, y), maxPhotos),

    /** The first of each square that is within these cells of the tile. */
    listFirst: async (tile: Tile, cells: CellRange, yielder: Yielder): Promise<PlacedImage[]> => {
      const squares = squaresOf(tile, cells)
      if (squares !== undefined) return queries.listFirstOfSquares(squares)
      const cellsOfSquare = 4 ** (cellZoom - tile.z - gridZooms)
      const found: PlacedImage[] = []
      for (let from = cells.first; from <= cells.last;) {
        const photo = await queries.firstInCells({ first: from, last: cells.last })
        if (photo === undefined) break
        found.push(photo)
        from = (Math.floor(photo.cell / cellsOfSquare) + 1) * cellsOfSquare
        await yielder.yieldIfDue()
      }
      return found
    },
  }
}
