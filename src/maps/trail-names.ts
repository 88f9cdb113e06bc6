// The names of trails, cached until a commit may have changed one: a tile of a thousand photos needs hundreds of them.
import type { Changes } from '../commits.ts'
import type { Db } from '../database/database.ts'
import { createBoundedCache } from '../shared/bounded-cache.ts'
import { listTrailNames } from './map-table.ts'

/** Some 4 MB. */
const maxNames = 20_000

interface CachedName {
  readonly name: string
  /** The count of commits before it was read. */
  readonly since: number
}

export function createTrailNames({ db, changes }: { readonly db: Db; readonly changes: Changes }) {
  const cache = createBoundedCache<CachedName, number>({ max: maxNames })

  /** By id; without trails that are gone. */
  return async (ids: readonly number[]): Promise<ReadonlyMap<number, string>> => {
    const names = new Map<number, string>()
    const missing = new Set<number>()
    for (const id of ids) {
      const known = cache.get(id)
      // A write to trails changes everything (database/written.ts), so the name depends on nothing else.
      if (known !== undefined && changes.isUnchangedSince(known.since, [])) names.set(id, known.name)
      else missing.add(id)
    }
    if (missing.size === 0) return names
    const since = changes.count()
    for (const { id, name } of await listTrailNames(db, [...missing])) {
      cache.set(id, { name, since })
      names.set(id, name)
    }
    return names
  }
}
