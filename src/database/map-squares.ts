// The number of listed photos in each square of the map, and the first of them: for tiles with many photos.
//
// Triggers on the images maintain it (migration 0015), so no change of a state or position can forget it: not a
// decision, the trash, an account deletion, a node of an older version, or an operator's SQL.
import { sql } from 'kysely'
import { cellZoom } from '../shared/geo/cells.ts'
import type { Db } from './database.ts'

/** Squares are the tiles of these zooms: a tile has 32 × 32 of those that are five zooms further in. */
export const squareZooms = { first: 5, last: 15 } as const

/** Images per statement. */
const imagesOfStep = 10_000
const cellsInAll = 4 ** cellZoom

const zooms = Array.from(
  { length: squareZooms.last - squareZooms.first + 1 },
  (_, index) => squareZooms.first + index,
)

/** The cells of a square are all those with these bits less: two for every zoom. */
const bitsWithin = (zoom: number): number => 2 * (cellZoom - zoom)

/** The squares of the zoom, as the images are now, of the cells from one to another, which is left out. */
const squaresOf = (zoom: number, { from, to }: { readonly from: number; readonly to: number }) => sql<never>`
  select cast(${sql.lit(zoom)} as bigint) as zoom, square, photos, cell, (
      select min(id) from image where image.state = 'approved' and image.cell = found.cell) as image_id
    from (select cell >> ${sql.lit(bitsWithin(zoom))} as square, count(*) as photos, min(cell) as cell
      from image where state = 'approved' and cell >= ${from} and cell < ${to} group by 1) as found
    where true`

/** Counts all of them, in steps: of an image after the other, in the order of their cells. */
export async function fillMapSquares(db: Db): Promise<void> {
  await db.deleteFrom('map_square').execute()
  const cellsOfSmallest = 2 ** bitsWithin(squareZooms.last)
  for (let from = 0; from < cellsInAll;) {
    const next = await db
      .selectFrom('image')
      .select(sql<number>`cell`.as('cell'))
      .where('state', '=', 'approved')
      .where('cell', '>=', from)
      .orderBy('cell')
      .orderBy('id')
      .offset(imagesOfStep)
      .limit(1)
      .executeTakeFirst()
    // No smallest square is split between two steps. For a larger one that is, the first photo was in the earlier step.
    const to = next ? (Math.floor(next.cell / cellsOfSmallest) + 1) * cellsOfSmallest : cellsInAll
    for (const zoom of zooms)
      await sql`insert into map_square (zoom, square, photos, cell, image_id) ${squaresOf(zoom, { from, to })}
        on conflict (zoom, square) do update set photos = map_square.photos + excluded.photos`.execute(db)
    from = to
  }
}

export interface WrongSquares {
  readonly zoom: number
  readonly count: number
}

interface Compared {
  /** The stored squares, those counted from the images, and those that are equal in both. */
  readonly kept: number
  readonly counted: number
  readonly same: number
}

/** How many squares of each zoom differ from the images: each zoom from one snapshot, while others write. */
export async function findWrongSquares(db: Db): Promise<WrongSquares[]> {
  const found: WrongSquares[] = []
  for (const zoom of zooms) {
    const { rows } = await sql<Compared>`select count(*) as counted, count(map_square.square) as same,
        (select count(*) from map_square where zoom = ${sql.lit(zoom)}) as kept
      from (${squaresOf(zoom, { from: 0, to: cellsInAll })}) as counted
        left join map_square on map_square.zoom = counted.zoom and map_square.square = counted.square
          and map_square.photos = counted.photos and map_square.cell = counted.cell
          and map_square.image_id = counted.image_id`.execute(db)
    const { kept, counted, same } = rows[0] ?? { kept: 0, counted: 0, same: 0 }
    const count = Math.max(kept, counted) - same
    if (count > 0) found.push({ zoom, count })
  }
  return found
}
