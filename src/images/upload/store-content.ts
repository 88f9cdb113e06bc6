// Stores the bytes of a photo before its rows: blobs first, then one transaction. If that fails, neither is left.
import type { Db } from '../../database/database.ts'
import { requireWritable } from '../../database/read-only.ts'
import { together } from '../../database/together.ts'
import { refuse, Refusal } from '../../errors.ts'
import { releaseMemory } from '../../http/bodies/release-memory.ts'
import type { Examined } from '../../imaging/renditions.ts'
import type { Blobs, StagedBlob } from '../../storage/port.ts'
import { inEach } from '../../texts/texts.ts'
import { originalKey, renditionKey } from '../storage/blob-keys.ts'
import { countDeletions, holdContent } from '../storage/content-table.ts'
import type { NamedBytes } from '../storage/named-bytes.ts'
import { noteStoredWhole } from '../storage/original-table.ts'
import { removedFrom } from '../storage/originals.ts'
import { removeUnreferenced } from '../storage/remove-unreferenced.ts'
import { findSmallSizes, type StoredRendition } from '../storage/rendition-table.ts'
import { smallName } from '../storage/small-sizes.ts'
import { createStoredOnce } from '../storage/stored-once.ts'
import { joined, rowsOf, type RenditionStore } from '../view/rendition-store.ts'

/** How a photo lies in the store. */
interface Stored {
  /** What gets a row: its sizes, and what size lg lacks of it, where it is not kept as it came. */
  readonly files: readonly NamedBytes[]
  readonly rows: readonly StoredRendition[]
  /** Of the blobs without which it would be lost. */
  readonly keys: readonly string[]
  /** `whole` where it cannot be rebuilt, `stored` where it is too early for that. */
  readonly original: 'rebuilt' | 'whole' | 'stored'
}

export interface StoredUpload extends Pick<Stored, 'rows' | 'keys' | 'original'> {
  /** How many deletions of content had begun or ended before it was kept. */
  readonly deletions: number
}

export interface ContentStorageDependencies {
  readonly db: Db
  readonly blobs: Blobs
  readonly store: RenditionStore
  readonly now: () => number
}

const withRows = (files: readonly NamedBytes[]) => ({ files, rows: rowsOf(files) })

const previousCopy = (): Refusal =>
  refuse('busy', { detail: inEach(({ limits }) => limits.previousCopy), headers: { 'Retry-After': '1' } })

export function createContentStorage({ db, blobs, store, now }: ContentStorageDependencies) {
  const isStoredOnce = createStoredOnce(db, now)

  /** Nearly always the original can be rebuilt: then it is not stored a second time. */
  async function layOut(staged: StagedBlob, examined: Examined, hasSmall: boolean): Promise<Stored> {
    const { sha256 } = staged
    // What is there stays: its row may tell of more than these, such as WebP.
    const made = joined(examined.renditions).filter(({ name }) => !hasSmall || name === 'lg')
    const large = (await isStoredOnce()) ? made.find(({ name }) => name === 'lg') : undefined
    if (large === undefined) return { ...withRows(made), keys: [originalKey(sha256)], original: 'stored' }
    const upload = Buffer.allocUnsafeSlow(staged.bytes)
    await staged.readInto(upload, 0)
    const removed = removedFrom(sha256, upload, large)
    releaseMemory(upload)
    if (!removed) return { ...withRows(made), keys: [originalKey(sha256)], original: 'whole' }
    const keys = [removed.name, large.name].map((name) => renditionKey(sha256, name))
    return { ...withRows([removed, ...made]), keys, original: 'rebuilt' }
  }

  return {
    /**
     * Stores the blobs, and then calls `record` for the rows. If that throws, blobs that no image shows are deleted
     * again.
     * @throws refusals `read-only`, and `busy` if an earlier copy is being deleted, and what `record` throws.
     */
    store: async <T>(
      staged: StagedBlob,
      examined: Examined,
      record: (stored: StoredUpload) => Promise<T>,
    ): Promise<T> => {
      const { sha256 } = staged
      // While it is read-only, nothing of it could be deleted by the marks below.
      const [, deletions, small] = await together(db, (each) => [
        requireWritable(each),
        countDeletions(each),
        findSmallSizes(each, sha256),
      ])
      const stored = await layOut(staged, examined, small !== undefined)
      try {
        // Blobs before rows: a row never refers to bytes that a power cut could lose. What a crash leaves between the
        // two is unreferenced, and garbage collection finds it.
        if (stored.original === 'whole' && !(await noteStoredWhole(db, sha256))) throw previousCopy()
        if (stored.original !== 'rebuilt') await staged.keep(originalKey(sha256))
        await store.put(sha256, stored.files)
        // As long as a photo: left to the garbage collector, it would begin full collections, a tenth of an upload's CPU.
        for (const { bytes } of stored.files) releaseMemory(bytes)
        return await record({ ...stored, deletions })
      } catch (error) {
        // What a silent store was told to delete it may delete when the same photo has come again; and whoever sends that
        // now must not have to wait for a mark. The sweep clears up, a day later.
        if (error instanceof Refusal && error.code === 'storage-unavailable') throw error
        const names = new Set([...stored.files.map(({ name }) => name), smallName])
        const keys = [...names].map((name) => renditionKey(sha256, name))
        await removeUnreferenced({ db, blobs, now }, sha256, [originalKey(sha256), ...keys]).catch(() => 0) // the sweep will
        throw error
      }
    },

    /**
     * At the beginning of the transaction that stores the rows, among what is asked together: from then on no sweep can
     * take the blobs.
     * @throws refusal `busy` where one may have.
     */
    hold: async (
      each: Db,
      staged: Pick<StagedBlob, 'sha256' | 'bytes'>,
      stored: StoredUpload,
    ): Promise<void> => {
      // The sweep may have deleted an old copy after this one was kept under the same key: while the row is held no sweep
      // can be under way, so what is there now stays. Where none began or ended since before it was kept, the store need
      // not be asked, which takes long over a network while nobody else may write.
      const { bytes, sha256 } = staged
      const [isHeld, deletionsNow] = await Promise.all([
        holdContent(each, sha256, { bytes, original: stored.original }),
        countDeletions(each),
      ])
      const mayBeGone = async (): Promise<boolean> => {
        if (deletionsNow === stored.deletions) return false
        for (const key of stored.keys) if (!(await blobs.has(key))) return true
        return false
      }
      if (!isHeld || (await mayBeGone())) throw previousCopy()
    },
  }
}
