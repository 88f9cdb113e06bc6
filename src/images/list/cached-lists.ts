// The lists of trails in memory, each as it is at this moment: read whole once, and from then on only what has changed.
//
//   version and name as they were? ──yes──▶ the kept list
//        │ no
//        ▼
//   read the logs on (list-changes.ts) ─▶ read what they mark ─▶ still the version of the beginning? ──yes──▶ the list
//        ▲                                                              │ no
//        └──────────────────────────────────────────────────────────────┘
//
// No read is longer than a page, and no transaction spans two: while the trail's version stays, none of its images
// changes, so that all that was read in between is of one moment. The rows in the database decide, and so a change by
// another process is seen like our own.
import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../database/database.ts'
import { createBoundedCache } from '../../shared/bounded-cache.ts'
import { nextFlight } from '../../shared/single-flight.ts'
import { createListChanges } from './list-changes.ts'
import { createCachedList, type CachedList } from './kept-list.ts'
import { createListKeyQuery, listPeople, listRowsAfter, listRowsAmong, type ListKey } from './list-table.ts'

const MiB = 1024 ** 2
/** Some 2 ms. */
const rowsAtOnce = 100
const idsAtOnce = 100
/** Keys that are remembered until the next commit. */
const keysKept = 256

export interface CachedListsDependencies {
  readonly db: Db
  /** Setting LIST_CACHE_MEGABYTES. */
  readonly megabytes: number
}

/** Gives the first few of a set, and takes them out of it. */
function takeFrom(ids: Set<number>): number[] {
  const taken = ids.values().take(idsAtOnce).toArray()
  for (const id of taken) ids.delete(id)
  return taken
}

export function createCachedLists({ db, megabytes }: CachedListsDependencies) {
  const readKey = createListKeyQuery(db, 0)
  const readKeptKey = createListKeyQuery(db, keysKept)
  const kept = createBoundedCache<CachedList, number>({
    max: megabytes * MiB,
    sizeOf: (list) => list.bytes(),
  })
  /** Those that are being read: not kept, since they may be read in part, but marked. */
  const underWay = new Map<number, CachedList>()
  const changes = createListChanges({
    db,
    lists: () => [...underWay.values(), ...kept.values()],
    forgetAll: () => {
      for (const list of underWay.values()) list.forget()
      kept.clear()
    },
  })

  async function load(list: CachedList): Promise<void> {
    for (let after = -1; ;) {
      const rows = await listRowsAfter(db, list.trailId, after, rowsAtOnce)
      list.add(rows)
      const last = rows.at(-1)
      if (last === undefined || rows.length < rowsAtOnce) return
      after = last.seq
      await setImmediate()
    }
  }

  async function readChanged(list: CachedList): Promise<void> {
    while (list.changed.size > 0) {
      const ids = takeFrom(list.changed)
      list.replaceImages(ids, await listRowsAmong(db, list.trailId, ids))
      if (list.changed.size > 0) await setImmediate()
    }
    while (list.renamed.size > 0) {
      list.replacePeople(await listPeople(db, takeFrom(list.renamed)))
      if (list.renamed.size > 0) await setImmediate()
    }
  }

  /** The list to bring up to date: the kept one, or a new one, read whole. */
  async function begin(key: ListKey): Promise<CachedList> {
    const { trailId } = key
    const before = underWay.get(trailId) ?? kept.get(trailId)
    if (before && !before.isOutdated && before.isOf(key)) {
      underWay.set(trailId, before)
      kept.delete(trailId)
      return before
    }
    await changes.follow() // where nothing was kept, there is nothing to read, however long ago the last time was
    const list = createCachedList(key)
    underWay.set(trailId, list) // before anything is read: what happens meanwhile is marked in it
    kept.delete(trailId)
    await load(list)
    return list
  }

  async function bringUpToDate(trailId: number): Promise<CachedList | undefined> {
    for (;;) {
      const key = await readKey({ trailId })
      if (!key) return undefined
      const list = await begin(key)
      await changes.follow()
      await readChanged(list)
      const now = await readKey({ trailId })
      const isSame = now?.version === key.version && list.isOf(now) && isFollowed(now)
      if (isSame && list.isSettled()) {
        list.confirm(key.version)
        return list
      }
      await setImmediate()
    }
  }

  const isFollowed = ({ people }: ListKey): boolean => (people ?? 0) <= changes.people()

  /** After a failure what was marked may be read in part: the list is left, and the next one read whole. */
  async function refresh(trailId: number): Promise<CachedList | undefined> {
    try {
      const list = await bringUpToDate(trailId)
      if (list) kept.set(trailId, list)
      else kept.delete(trailId)
      return list
    } finally {
      underWay.delete(trailId)
    }
  }

  /** One at a time, and one for all who ask before it begins: one under way may have looked before what they know of. */
  const refreshed = nextFlight(refresh)

  function findAt(key: ListKey): CachedList | undefined {
    const list = kept.get(key.trailId)
    return list?.isAt(key) === true && isFollowed(key) ? list : undefined
  }

  return {
    /** The list as it is now, or was a moment ago, but after this was called; undefined where there is no such trail. */
    find: async (trailId: number): Promise<CachedList | undefined> => {
      const key = await readKeptKey({ trailId })
      if (key === undefined) return undefined
      return findAt(key) ?? refreshed(trailId)
    },

    /** What is kept takes about so much. */
    bytes: (): number => kept.size(),

    /** To be called when bodies of the list were made. */
    weigh: (list: CachedList): void => {
      if (kept.peek(list.trailId) === list) kept.set(list.trailId, list)
    },
  }
}

export type CachedLists = ReturnType<typeof createCachedLists>
