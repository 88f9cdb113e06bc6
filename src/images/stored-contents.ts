// Walks all blobs content by content, in bounded memory: original and renditions lie in folders of their own.
import type { Blobs } from '../blobs/port.ts'
import { blobFolders, contentOf, foldersNear } from './blob-keys.ts'

export interface StoredContent {
  readonly sha256: string
  readonly keys: readonly string[]
  /** When the last of its blobs was written, in milliseconds since 1970 UTC. */
  readonly writtenAt: number
}

/** The contents of one folder, in the order of their hashes, which is that of their keys. */
async function* contentsIn(blobs: Blobs, folder: string): AsyncGenerator<StoredContent> {
  let current: StoredContent | undefined
  for await (const { key, writtenAt } of blobs.list(folder)) {
    const sha256 = contentOf(key)
    if (sha256 === undefined) continue // none of ours, and so none of our business
    if (current?.sha256 === sha256) {
      const keys = [...current.keys, key]
      current = { sha256, keys, writtenAt: Math.max(current.writtenAt, writtenAt) }
      continue
    }
    if (current) yield current
    current = { sha256, keys: [key], writtenAt }
  }
  if (current) yield current
}

function joined(one: StoredContent, other: StoredContent): StoredContent {
  const writtenAt = Math.max(one.writtenAt, other.writtenAt)
  return { sha256: one.sha256, keys: [...one.keys, ...other.keys], writtenAt }
}

/** Every content that has a blob, each once, in the order of hashes. */
export async function* listStoredContents(blobs: Blobs): AsyncGenerator<StoredContent> {
  const walks = blobFolders.map((folder) => contentsIn(blobs, folder))
  try {
    const heads = await Promise.all(walks.map(async (walk) => (await walk.next()).value as Head))
    for (;;) {
      const hashes = heads.flatMap((head) => (head ? [head.sha256] : []))
      const sha256 = hashes.toSorted()[0]
      if (sha256 === undefined) return
      let whole: StoredContent | undefined
      for (const [index, head] of heads.entries()) {
        if (head?.sha256 !== sha256) continue
        whole = whole ? joined(whole, head) : head
        heads[index] = (await walks[index]?.next())?.value as Head
      }
      if (whole) yield whole
    }
  } finally {
    for (const walk of walks) await walk.return(undefined)
  }
}

type Head = StoredContent | undefined

/** What is stored of one content; undefined where nothing is. */
export async function findStoredContent(blobs: Blobs, sha256: string): Promise<StoredContent | undefined> {
  let found: StoredContent | undefined
  for (const folder of foldersNear(sha256)) {
    for await (const content of contentsIn(blobs, folder)) {
      if (content.sha256 === sha256) found = found ? joined(found, content) : content
    }
  }
  return found
}
