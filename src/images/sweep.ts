// Deletes what no image shows: blobs that a crash left between bytes and row, and temporary files.
import { setImmediate } from 'node:timers/promises'
import type { Blobs } from '../blobs/port.ts'
import type { Db } from '../database/database.ts'
import { listCondemned, listReferenced } from './content-table.ts'
import { removeUnreferenced } from './remove-unreferenced.ts'
import { findStoredContent, listStoredContents, type StoredContent } from './stored-contents.ts'

/** Younger blobs may belong to an upload whose row is not written yet. */
const graceMs = 24 * 3_600_000
/** Looked up together: nearly all are shown, and a million questions would take half a minute of each hour. */
const askedAtOnce = 100

export interface Swept {
  readonly blobs: number
  readonly temporaryFiles: number
  /** Contents that could not be removed this time; the next pass tries again. */
  readonly failures: number
}

export function createSweep(db: Db, blobs: Blobs, now: () => number) {
  return {
    /** One pass over all blobs. Never deletes what an image shows, whatever runs beside it (images/content-table.ts). */
    run: async (): Promise<Swept> => {
      let removed = 0
      let failures = 0
      const remove = async (sha256: string, keys: readonly string[]): Promise<void> => {
        try {
          removed += await removeUnreferenced({ db, blobs, now }, sha256, keys)
        } catch {
          failures += 1 // one file that cannot be deleted must not keep all the others
        }
        await setImmediate() // the database answers without ever letting the event loop turn
      }
      const removeUnshown = async (stored: readonly StoredContent[]): Promise<void> => {
        // Where it cannot be told, each is looked at again before anything of it is removed, as it is in any case.
        const shown = await listReferenced(
          db,
          stored.map(({ sha256 }) => sha256),
        ).catch(() => new Set<string>())
        for (const { sha256, keys } of stored) if (!shown.has(sha256)) await remove(sha256, keys)
        await setImmediate()
      }
      // What an earlier pass condemned before the process died comes first: uploads of it wait for this.
      const before = now() - graceMs
      for (const sha256 of await listCondemned(db)) {
        const stored = await findStoredContent(blobs, sha256)
        await remove(sha256, stored && stored.writtenAt < before ? stored.keys : []) // young again: only released
      }
      let old: StoredContent[] = []
      for await (const stored of listStoredContents(blobs)) {
        if (stored.writtenAt >= before) continue
        old.push(stored)
        if (old.length < askedAtOnce) continue
        await removeUnshown(old)
        old = []
      }
      if (old.length > 0) await removeUnshown(old)
      return { blobs: removed, temporaryFiles: await blobs.sweepStaged(now() - graceMs), failures }
    },
  }
}

export type Sweep = ReturnType<typeof createSweep>
