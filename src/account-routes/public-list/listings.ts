// Lists public routes as others see them, once that is known: after every change, and whenever upkeep comes by.
import { yieldTurn } from '../../shared/yielding.ts'
import type { Db } from '../../database/database.ts'
import { unpackLines } from '../public-view/line-blob.ts'
import { findUnlisted, listUnlisted, saveListing } from './listing-table.ts'
import { sketchOf } from './line-sketch.ts'

/** Between two looks at what is left. */
const batch = 20

export interface ListingsDependencies {
  readonly db: Db
  /** Something is new in the list. */
  readonly onListed: () => void
  /** Of a route whose lines cannot be read; the others are listed all the same. */
  readonly onFault: (error: unknown) => void
}

export function createListings({ db, onListed, onFault }: ListingsDependencies) {
  async function list(routeId: number): Promise<void> {
    const route = await findUnlisted(db, routeId)
    if (route === undefined) return // changed since, and so in a walk of its own
    const lines = await unpackLines(route.lines)
    await yieldTurn()
    await saveListing(db, route, JSON.stringify(sketchOf(lines)))
    onListed()
  }

  return async (accountId: number | undefined, mayContinue: () => Promise<boolean>): Promise<void> => {
    for (let after = 0; ;) {
      const unlisted = await listUnlisted(db, { accountId, after }, batch)
      for (const routeId of unlisted) {
        if (!(await mayContinue())) return
        await list(routeId).catch(onFault)
        after = routeId
      }
      if (unlisted.length < batch) return
    }
  }
}
