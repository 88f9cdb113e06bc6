// Updates the list of public routes, after every change of a public view and with each maintenance run.
import { yieldTurn } from '../../shared/yielding.ts'
import type { Db } from '../../database/database.ts'
import { unpackLines } from '../public-view/line-blob.ts'
import { findUnlisted, listUnlisted, saveListing } from './listing-table.ts'
import { sketchOf } from './line-sketch.ts'

/** Routes between two queries for remaining work. */
const batch = 20

export interface ListingsDependencies {
  readonly db: Db
  /** The list has changed. */
  readonly onListed: () => void
  /** Called for a route whose lines cannot be read; the others are still listed. */
  readonly onFault: (error: unknown) => void
}

export function createListings({ db, onListed, onFault }: ListingsDependencies) {
  async function list(routeId: number): Promise<void> {
    const route = await findUnlisted(db, routeId)
    if (route === undefined) return // it has changed since; that change starts its own walk
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
