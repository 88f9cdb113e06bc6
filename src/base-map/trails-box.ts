// The bounding box of all trail lines: what a self-hosted map has to cover.
import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { Box } from './archive/header.ts'

/** Degrees of latitude: about 10 km. */
const margin = 0.1
const maxLatitude = 85

export interface TrailsExtent {
  readonly south: number
  readonly north: number
  /** For boxes that do not cross the antimeridian; valid while `crossing` is 0. */
  readonly west: number
  readonly east: number
  readonly crossing: number | string
  /** The same with longitudes from 0 to 360, eastwards from Greenwich; valid while `atGreenwich` is 0. */
  readonly fromGreenwich: number
  readonly toGreenwich: number
  readonly atGreenwich: number | string
}

export const findTrailsExtent = (db: Db): Promise<TrailsExtent | undefined> =>
  db
    .selectFrom('trail')
    .select((eb) => [
      eb.fn.min<number>('south').as('south'),
      eb.fn.max<number>('north').as('north'),
      eb.fn.min<number>('west').as('west'),
      eb.fn.max<number>('east').as('east'),
      sql<number | string>`count(case when west > east then 1 end)`.as('crossing'),
      sql<number>`min(case when west < 0 then west + 360 else west end)`.as('fromGreenwich'),
      sql<number>`max(case when east < 0 then east + 360 else east end)`.as('toGreenwich'),
      sql<number | string>`count(case when west < 0 and east >= 0 then 1 end)`.as('atGreenwich'),
    ])
    .where('west', 'is not', null)
    .having((eb) => eb.fn.countAll(), '>', 0)
    .executeTakeFirst()

const rounded = (degrees: number): number => Math.round(degrees * 1_000) / 1_000
const wrapped = (longitude: number): number => (longitude > 180 ? longitude - 360 : longitude)

/** The narrower of the two ways around the earth. */
function longitudesOf(extent: TrailsExtent): readonly [west: number, east: number] {
  const { west, east, fromGreenwich, toGreenwich } = extent
  // PostgreSQL counts in 64 bits, which arrive as text.
  const [crossing, atGreenwich] = [Number(extent.crossing), Number(extent.atGreenwich)]
  const plain = crossing === 0 ? east - west : Infinity
  const across = atGreenwich === 0 ? toGreenwich - fromGreenwich : Infinity
  if (plain === Infinity && across === Infinity) return [-180, 180]
  return plain <= across ? [west, east] : [fromGreenwich, toGreenwich]
}

/** With a margin, to thousandths of a degree. */
export function boxAround(extent: TrailsExtent): Box {
  const south = Math.max(-maxLatitude, extent.south - margin)
  const north = Math.min(maxLatitude, extent.north + margin)
  const latitude = Math.min(80, Math.max(Math.abs(south), Math.abs(north)))
  const aside = margin / Math.cos((latitude * Math.PI) / 180)
  const [west, east] = longitudesOf(extent)
  const box = { south: rounded(south), north: rounded(north) }
  if (east - west + 2 * aside >= 360) return { west: -180, east: 180, ...box }
  const [from, to] = [west - aside, east + aside]
  return { west: rounded(from < -180 ? from + 360 : wrapped(from)), east: rounded(wrapped(to)), ...box }
}

/** Undefined if no trail has a line. */
export async function findTrailsBox(db: Db): Promise<Box | undefined> {
  const extent = await findTrailsExtent(db)
  return extent && boxAround(extent)
}
