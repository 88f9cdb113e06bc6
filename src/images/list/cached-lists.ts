// The lists of trails in memory, each as it is at this moment: read whole once, and from then on only what has changed.
//
//   version and name as they were? ──yes──▶ are the texts there that are wanted? ──yes──▶ the kept list
//        │ no                                     │ no
//        ▼                                        ▼
//   read the logs on (list-changes.ts) ─▶ read what they mark, and what is missing ─▶ still the version of the beginning?
//        ▲                                                                                │ no            │ yes
//        └────────────────────────────────────────────────────────────────────────────────┘           the list
//
// No read is longer than a page, and no transaction spans two: while the trail's version stays, none of its images
// changes, so that all that was read in between is of one moment. The rows in the database decide, and so a change by
// another process is seen like our own.
import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../database/database.ts'
import { createBoundedCache } from '../../shared/bounded-cache.ts'
import { nextFlight } from '../../shared/single-flight.ts'
import { createYielder } from '../../shared/yielding.ts'
import type { ListedForm } from '../present.ts'
import { deflatePiece } from './joined-gzip.ts'
import { createListChanges } from './list-changes.ts'
import { createCachedList, type CachedList } from './cached-list.ts'
import { digestOf, firstSeqOf, pieceOf, type Piece, type WriteListed } from './list-pieces.ts'
import {
  createListKeyQuery,
  listPeople,
  listRowsAfter,
  listRowsAmong,
  type ListedRow,
  type ListedTrail,
  type ListKey,
} from './list-table.ts'
import { createMissing, deflatedOf, nameOf, take, unfinished, type Taken, type Want } from './wanted-texts.ts'

const MiB = 1024 ** 2
/** Some 2 ms. */
const rowsAtOnce = 100
const idsAtOnce = 100
/** Keys that are remembered until the next commit. */
const cachedKeys = 256
const turnMs = 2

export interface CachedListsDependencies {
  readonly db: Db
  /** Setting LIST_CACHE_MEGABYTES. */
  readonly megabytes: number
  readonly writerFor: (trail: ListedTrail) => WriteListed
  /** The number of bytes before the first text of a list in this form that are not part of it. */
  readonly betweenBytes: (form: ListedForm) => number
}

/** Gives the first few of a set, and takes them out of it. */
function takeFrom(ids: Set<number>): number[] {
  const taken = ids.values().take(idsAtOnce).toArray()
  for (const id of taken) ids.delete(id)
  return taken
}

/** @returns a function that reads the rows of the next chunk at or after a position; none at the end. */
function createPieceReader(db: Db, trailId: number): (from: number) => Promise<ListedRow[]> {
  let rows: ListedRow[] = []
  let isEnd = false
  return async (from) => {
    rows = rows.filter(({ seq }) => seq >= from)
    const isInFirst = ({ seq }: ListedRow): boolean => pieceOf(seq) === pieceOf(rows[0]?.seq ?? 0)
    for (;;) {
      const last = rows.at(-1)
      if (isEnd || (last && !isInFirst(last))) break
      const page = await listRowsAfter(db, trailId, last?.seq ?? from - 1, rowsAtOnce)
      rows.push(...page)
      isEnd = page.length < rowsAtOnce
      if (!isEnd) await setImmediate()
    }
    const count = rows.findIndex((row) => !isInFirst(row))
    return rows.splice(0, count < 0 ? rows.length : count)
  }
}

export function createCachedLists({ db, megabytes, writerFor, betweenBytes }: CachedListsDependencies) {
  const readKey = createListKeyQuery(db, 0)
  const readCachedKey = createListKeyQuery(db, cachedKeys)
  const maxBytes = megabytes * MiB
  const cache = createBoundedCache<CachedList, number>({
    max: maxBytes,
    sizeOf: (list) => list.bytes(),
  })
  /** Lists being read: not in the cache, since they may be incomplete, but marked by changes. */
  const underWay = new Map<number, CachedList>()
  /** By trail and name: what the next one who reads a list has to bring along. */
  const wanted = new Map<number, Map<string, Want>>()
  const forgetAll = (): void => {
    for (const list of underWay.values()) list.forget()
    cache.clear()
  }
  const changes = createListChanges({
    db,
    lists: () => [...underWay.values(), ...cache.values()],
    forgetAll,
  })
  let failovers = 0

  /** Lost versions and positions are assigned again, to other changes. */
  function forgetLost(): void {
    const now = db.failovers?.() ?? 0
    if (now !== failovers) forgetAll()
    failovers = now
  }

  async function load(list: CachedList, wants: readonly Want[]): Promise<void> {
    const read = createPieceReader(db, list.trailId)
    const forms = new Set(wants.map(({ form }) => form))
    for (let from = 0; ;) {
      const rows = await read(from)
      const [first] = rows
      if (first === undefined) break
      const number = pieceOf(first.seq)
      list.put(number, rows, forms)
      await finish(list, wants)
      from = firstSeqOf(number + 1)
    }
    list.setRead()
  }

  async function readChanged(list: CachedList): Promise<void> {
    while (list.renamed.size > 0) {
      list.comparePeople(await listPeople(db, takeFrom(list.renamed)))
      if (list.renamed.size > 0) await setImmediate()
    }
    while (list.changed.size > 0) {
      const ids = takeFrom(list.changed)
      await list.replaceImages(ids, await listRowsAmong(db, list.trailId, ids))
      if (list.changed.size > 0) await setImmediate()
    }
  }

  /** Reads the texts that are wanted and not there: never made, or dropped. */
  async function readMissing(list: CachedList, wants: readonly Want[]): Promise<void> {
    const read = createPieceReader(db, list.trailId)
    for (const { number } of list.contents.pieces) {
      const piece = list.contents.pieces.find((each) => each.number === number)
      const forms = new Set(wants.flatMap((want) => (piece ? createMissing(list, want)(piece) : [])))
      if (forms.size === 0) continue
      const rows = await read(firstSeqOf(number))
      const isThere = rows[0] !== undefined && pieceOf(rows[0].seq) === number
      list.put(number, isThere ? rows : [], forms)
      await finish(list, wants)
    }
  }

  async function deflate(list: CachedList, piece: Piece, form: ListedForm): Promise<void> {
    const body = piece.bodies.get(form)
    if (body?.bytes === undefined || deflatedOf(list.contents, piece, form) !== undefined) return
    const isFirst = list.contents.pieces[0] === piece
    const deflated = await deflatePiece(body.bytes.subarray(isFirst ? betweenBytes(form) : 0))
    body.deflated = { ...deflated, isFirst }
  }

  /**
   * What a long list needs besides its texts; for one that is too long to cache, no more is held than there is room
   * for.
   */
  async function finish(list: CachedList, wants: readonly Want[]): Promise<void> {
    const turns = createYielder(turnMs)
    const isSentAsItIs = (form: ListedForm): boolean =>
      wants.some((want) => want.form === form && (want.coding !== 'gzip' || want.ownerId !== undefined))
    for (const want of wants)
      for (const piece of unfinished(list, want)) {
        const { form } = want
        const body = piece.bodies.get(form)
        if (body?.bytes === undefined) continue
        digestOf(body)
        if (want.coding === 'gzip') await deflate(list, piece, form)
        if (!isSentAsItIs(form) && list.bytes() > maxBytes) body.bytes = undefined
        await turns.yieldIfDue()
      }
  }

  /** The list to update: the cached one, or a new one that is read completely. */
  async function begin(key: ListKey, wants: readonly Want[]): Promise<CachedList> {
    const { trailId } = key
    const before = underWay.get(trailId) ?? cache.get(trailId)
    if (before && !before.isOutdated && before.isOf(key)) {
      underWay.set(trailId, before)
      cache.delete(trailId)
      return before
    }
    await changes.follow() // with an empty cache there is nothing to read, however long ago the last update was
    const list = createCachedList({ key, write: writerFor(key) })
    underWay.set(trailId, list) // before anything is read, so that changes meanwhile are marked in it
    cache.delete(trailId)
    await load(list, wants)
    return list
  }

  async function bringUpToDate(trailId: number, wants: readonly Want[]): Promise<CachedList | undefined> {
    for (;;) {
      const key = await readKey({ trailId })
      if (!key) return undefined
      const list = await begin(key, wants)
      await changes.follow()
      await readChanged(list)
      await readMissing(list, wants)
      await finish(list, wants)
      const now = await readKey({ trailId })
      const isSame = now?.version === key.version && list.isOf(now) && isFollowed(now)
      if (isSame && list.isSettled() && wants.every((want) => take(list, want) !== undefined)) {
        list.confirm(key.version)
        return list
      }
      await setImmediate()
    }
  }

  const isFollowed = ({ people }: ListKey): boolean => (people ?? 0) <= changes.people()

  function keep(list: CachedList): void {
    list.trim(maxBytes)
    cache.set(list.trailId, list)
  }

  /** After a failure, marked parts may be incomplete: the list is dropped, and the next one read completely. */
  async function refresh(trailId: number): Promise<ReadonlyMap<string, Taken> | undefined> {
    const wants = wanted.get(trailId) ?? new Map<string, Want>()
    wanted.delete(trailId)
    try {
      const list = await bringUpToDate(trailId, [...wants.values()])
      if (list === undefined) {
        cache.delete(trailId)
        return undefined
      }
      const found = new Map<string, Taken>()
      for (const [name, want] of wants) {
        const taken = take(list, want)
        if (taken) found.set(name, taken)
      }
      keep(list) // and evicts what there is no room for, except for callers that have taken it
      return found
    } finally {
      underWay.delete(trailId)
    }
  }

  /**
   * One update at a time, shared by callers that ask before it begins: one in progress may have looked before the
   * change that they know of.
   */
  const refreshed = nextFlight(refresh)

  function findAt(key: ListKey): CachedList | undefined {
    const list = cache.get(key.trailId)
    return list?.isAt(key) === true && isFollowed(key) ? list : undefined
  }

  return {
    /** The list as of some time after this call; undefined if there is no such trail. */
    find: async (trailId: number, want: Want): Promise<Taken | undefined> => {
      forgetLost()
      const key = await readCachedKey({ trailId })
      if (key === undefined) return undefined
      const list = findAt(key)
      const taken = list && take(list, want)
      if (taken) return taken
      const wants = wanted.get(trailId) ?? new Map<string, Want>()
      wanted.set(trailId, wants.set(nameOf(want), want))
      return (await refreshed(trailId))?.get(nameOf(want))
    },

    /** Estimated memory of the cache. */
    bytes: (): number => cache.size(),

    /** To be called when bodies of the list were made. */
    weigh: (list: CachedList): void => {
      if (cache.peek(list.trailId) === list) keep(list)
    },
  }
}
