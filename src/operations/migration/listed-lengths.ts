// How long the blobs of a store are, by listing them: a thousand in a call, where asking for each would take a call of its own.
import { blobFolders, contentOf } from '../../images/storage/blob-keys.ts'
import type { BlobEntry, Blobs } from '../../storage/port.ts'

interface Folder {
  readonly entries: AsyncIterator<BlobEntry>
  /** Read, and of a content that comes later. */
  next: IteratorResult<BlobEntry> | undefined
}

/** For whoever goes over contents in the order of their hashes, as each folder has them. */
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
    /** Reads on to the blobs of this content, and forgets those before. */
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
