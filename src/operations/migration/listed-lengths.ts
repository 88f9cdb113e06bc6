// Lengths of the blobs in a store, found by listing it: a thousand per call, instead of one call for each.
import { blobFolders, contentOf } from '../../images/storage/blob-keys.ts'
import type { BlobEntry, Blobs } from '../../storage/port.ts'

interface Folder {
  readonly entries: AsyncIterator<BlobEntry>
  /** Read ahead: an entry of a later content. */
  next: IteratorResult<BlobEntry> | undefined
}

/** To be used in the order of hashes, which is the order of each folder. */
export function createListedLengths(blobs: Pick<Blobs, 'list'>) {
  const folders: readonly Folder[] = blobFolders.map((folder) => ({
    entries: blobs.list(folder)[Symbol.asyncIterator](),
    next: undefined,
  }))
  const lengths = new Map<string, number>()

  async function readFolder(folder: Folder, last: string): Promise<void> {
    for (;;) {
      folder.next ??= await folder.entries.next()
      if (folder.next.done === true) return
      const { key, bytes } = folder.next.value
      const content = contentOf(key)
      if (content !== undefined && content > last) return
      lengths.set(key, bytes)
      folder.next = undefined
    }
  }

  return {
    /** Reads up to the blobs of this content, and forgets earlier ones. */
    readTo: async (content: string): Promise<void> => {
      lengths.clear()
      for (const folder of folders) await readFolder(folder, content)
    },
    lengthOf: (key: string): number | undefined => lengths.get(key),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      for (const { entries } of folders) await entries.return?.()
    },
  }
}
