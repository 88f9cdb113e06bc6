// Deletes what no image shows: blobs that a crash left between bytes and row, and temporary files.
import { setImmediate } from 'node:timers/promises'
import type { Blobs } from '../blobs/port.ts'
import type { Db } from '../database/database.ts'
import { contentOf } from './blob-keys.ts'
import { listCondemned } from './content-table.ts'
import { removeUnreferenced } from './remove-unreferenced.ts'

/** Younger blobs may belong to an upload whose row is not written yet. */
const graceMs = 24 * 3_600_000

export interface Swept {
  readonly blobs: number
  readonly temporaryFiles: number
}

export function createSweep(db: Db, blobs: Blobs, now: () => number) {
  /** Keys of content whose every blob is older than the grace. */
  async function oldKeysByContent(): Promise<Map<string, string[]>> {
    const keys = new Map<string, string[]>()
    const young = new Set<string>()
    const before = now() - graceMs
    for await (const { key, writtenAt } of blobs.list()) {
      const sha256 = contentOf(key)
      if (sha256 === undefined) continue
      keys.set(sha256, [...(keys.get(sha256) ?? []), key])
      if (writtenAt >= before) young.add(sha256)
    }
    for (const sha256 of young) keys.delete(sha256)
    return keys
  }

  const remove = (sha256: string, keys: readonly string[]): Promise<number> =>
    removeUnreferenced({ db, blobs, now }, sha256, keys)

  return {
    /** One pass over all blobs. Never deletes what an image shows, whatever runs beside it (images/content-table.ts). */
    run: async (): Promise<Swept> => {
      const keys = await oldKeysByContent()
      let removed = 0
      // What an earlier pass condemned before the process died comes first: uploads of it wait for this.
      for (const sha256 of await listCondemned(db)) {
        removed += await remove(sha256, keys.get(sha256) ?? [])
        keys.delete(sha256)
      }
      for (const [sha256, own] of keys) {
        removed += await remove(sha256, own)
        await setImmediate() // the database answers without ever letting the event loop turn
      }
      return { blobs: removed, temporaryFiles: await blobs.sweepStaged(now() - graceMs) }
    },
  }
}

export type Sweep = ReturnType<typeof createSweep>
