// Deletes what no image shows: blobs that a crash left between bytes and row, and temporary files.
import { setImmediate } from 'node:timers/promises'
import { createSemaphore } from '../../shared/semaphore.ts'
import type { Blobs } from '../../storage/port.ts'
import type { Db } from '../../database/database.ts'
import { listMarked, listReferenced } from './content-table.ts'
import { mayBeStale, removeStale } from './remove-stale.ts'
import { removeContents } from './remove-unreferenced.ts'
import { readSweepPlace, saveSweepPlace } from './garbage-collection-place.ts'
import { findStoredContent, listStoredContents, type StoredContent } from './stored-contents.ts'

/** Younger blobs may belong to an upload whose row is not written yet. */
const graceMs = 24 * 3_600_000
/** Looked up, and removed, together: nearly all are shown, and a million questions would take half a minute of each hour. */
const pageLength = 100
/** Pages that are removed while the walk goes on: the store has work, and what is in memory has a bound. */
const maxPagesAtOnce = 2
/** Of contents that an earlier pass condemned: each is found by listings of its own. */
const foundAtOnce = 8

/**
 * A store is listed for so long in one run, and the next one goes on there: what can be listed in that time is looked at
 * as a whole each hour, and what is larger keeps neither the rest of the upkeep waiting nor two nodes at it.
 */
const walkForMs = 1_200_000
/** What a process that dies has walked through for nothing. */
const savePlaceEveryMs = 60_000

export interface Swept {
  readonly blobs: number
  readonly temporaryFiles: number
  /** Contents that could not be removed this time; the next pass tries again. */
  readonly failures: number
  /** Where the next run goes on, of a store too large for one; left out where the last content was reached. */
  readonly goesOnAt?: string
}

export function createGarbageCollection(db: Db, blobs: Blobs, now: () => number) {
  return {
    /**
     * One pass over all blobs, or as many as there is time for. Never deletes what an image shows, whatever runs
     * concurrently (images/storage/content-table.ts).
     * @param stopping tells that the server is to stop.
     */
    run: async (stopping?: AbortSignal): Promise<Swept> => {
      let removed = 0
      let failures = 0
      const remove = async (contents: ReadonlyMap<string, readonly string[]>): Promise<void> => {
        try {
          const done = await removeContents({ db, blobs, now }, [...contents.keys()], async () => contents)
          removed += done.blobs
          failures += done.left.length
        } catch {
          failures += contents.size // what one page says must not keep all the others
        }
      }
      const removeOlder = async (sha256: string, keys: readonly string[]): Promise<void> => {
        try {
          removed += await removeStale({ db, blobs }, sha256, keys)
        } catch {
          failures += 1
        }
      }
      const removeUnshown = async (stored: readonly StoredContent[]): Promise<void> => {
        // Where it cannot be told, each is looked at again before anything of it is removed, as it is in any case.
        const shown = await listReferenced(
          db,
          stored.map(({ sha256 }) => sha256),
        ).catch(() => new Set<string>())
        const unshown = stored.filter(({ sha256 }) => !shown.has(sha256))
        if (unshown.length > 0) await remove(new Map(unshown.map(({ sha256, keys }) => [sha256, keys])))
        for (const { sha256, keys } of stored)
          if (shown.has(sha256) && mayBeStale(keys)) await removeOlder(sha256, keys)
      }
      // What an earlier pass condemned before the process died comes first: uploads of it wait for this.
      const before = now() - graceMs
      const marked = await listMarked(db)
      for (let at = 0; at < marked.length; at += foundAtOnce) {
        const found = marked.slice(at, at + foundAtOnce).map(async (sha256) => {
          const stored = await findStoredContent(blobs, sha256)
          // Young again: only released.
          return [sha256, stored && stored.writtenAt < before ? stored.keys : []] as const
        })
        await remove(new Map(await Promise.all(found)))
        await setImmediate() // the database answers without ever letting the event loop turn
      }
      const begun = now()
      let savedAt = begun
      const from = await readSweepPlace(db)
      let looked = 0
      let goesOnAt: string | undefined
      let old: StoredContent[] = []
      const removals = createSemaphore(maxPagesAtOnce)
      const removing = new Set<Promise<void>>()
      const removeOld = async (): Promise<void> => {
        const page = old
        old = []
        const leave = await removals.acquire()
        const work: Promise<void> = removeUnshown(page).finally(() => {
          leave()
          removing.delete(work)
        })
        removing.add(work)
        await setImmediate()
      }
      try {
        for await (const stored of listStoredContents(blobs, from)) {
          const walkedMs = now() - begun
          if (looked > 0 && (stopping?.aborted === true || walkedMs >= walkForMs)) {
            // What was walked through in a moment is walked through again, so that a small store is always swept whole.
            goesOnAt = walkedMs >= savePlaceEveryMs ? stored.sha256 : from
            break
          }
          looked += 1
          if (stored.writtenAt < before) old.push(stored)
          if (old.length >= pageLength) await removeOld()
          if (old.length === 0 && now() - savedAt >= savePlaceEveryMs) {
            await Promise.all(removing) // of what lies before that place
            await saveSweepPlace(db, stored.sha256)
            savedAt = now()
          }
        }
        if (old.length > 0) await removeOld()
      } finally {
        await Promise.all(removing)
      }
      if (goesOnAt !== undefined || from !== undefined || savedAt !== begun)
        await saveSweepPlace(db, goesOnAt)
      const temporaryFiles = await blobs.sweepStaged(now() - graceMs)
      return {
        blobs: removed,
        temporaryFiles,
        failures,
        ...(goesOnAt === undefined ? {} : { goesOnAt }),
      }
    },
  }
}

export type GarbageCollection = ReturnType<typeof createGarbageCollection>
