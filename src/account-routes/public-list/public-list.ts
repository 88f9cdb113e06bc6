// The list of public routes, read in chunks, so that a filter with few matches does not block other requests.
import { yieldTurn } from '../../shared/yielding.ts'
import type { Db } from '../../database/database.ts'
import {
  findPlaceAhead,
  listPublicRoutes,
  type ListedRoute,
  type ListPlace,
  type PublicFilters,
} from './public-list-table.ts'

/** Routes that cost one unit of the rate limits, a few milliseconds, if one index covers all filters. */
const routesOfPiece = 25_000
/** The same if each route has to be looked up, for a text search or a trail. */
const routesOfSlowPiece = 4_000
/**
 * The maximum for one page. If a scan has found too little by then, it ends, and the next page continues from there.
 */
const maxRoutes = 100_000

export interface PublicListPage {
  readonly routes: readonly ListedRoute[]
  /** Where the next page continues; undefined on the last. */
  readonly next: ListPlace | undefined
}

export interface PublicListAsked {
  readonly after: ListPlace | undefined
  readonly limit: number
  /** Charges the cost of a long scan as it proceeds. @throws refusal `too-many-requests`. */
  readonly charge: (cost: number) => void
}

export function createPublicList(db: Db) {
  return async (
    filters: PublicFilters,
    { after, limit, charge }: PublicListAsked,
  ): Promise<PublicListPage> => {
    const found: ListedRoute[] = []
    const { words, nearTrail } = filters
    const piece = words === undefined && nearTrail === undefined ? routesOfPiece : routesOfSlowPiece
    let place = after
    for (let looked = 0; ; looked += piece) {
      if (looked >= maxRoutes) return { routes: found, next: place }
      if (looked > 0) {
        charge(1)
        await yieldTurn()
      }
      const upTo = await findPlaceAhead(db, filters, place, piece)
      const wanted = limit + 1 - found.length
      found.push(...(await listPublicRoutes(db, filters, { after: place, upTo, limit: wanted })))
      if (found.length > limit) {
        const routes = found.slice(0, limit)
        return { routes, next: routes.at(-1) }
      }
      if (upTo === undefined) return { routes: found, next: undefined }
      place = upTo
    }
  }
}

export type PublicList = ReturnType<typeof createPublicList>
