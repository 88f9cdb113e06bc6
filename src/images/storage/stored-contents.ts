// Walks all blobs content by content, in bounded memory: original and renditions lie in folders of their own.
import type { Blobs } from '../../storage/port.ts'
import { beforeContents, blobFolders, contentOf } from './blob-keys.ts'

export interface StoredContent {
  readonly sha256: string
  readonly keys: readonly string[]
  /** When the last of its blobs was written, in milliseconds since 1970 UTC. */
  readonly writtenAt: number
}

/**
 * The contents of one folder, in the order of their hashes, which is that of their keys.
 * @param from the first digits of the hash to begin at, fewer than all; undefined for the first.
 */
async function* contentsIn(
  blobs: Blobs,
  folder: string,
  from: string | undefined,
): AsyncGenerator<StoredContent> {
  let current: StoredContent | undefined
  const after = from === undefined ? undefined : beforeContents(folder, from)
  for await (const { key, writtenAt } of blobs.list(folder, after)) {
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

/**
 * Every content that has a blob, each once, in the order of hashes.
 * @param from the first digits of the hash to begin at, fewer than all; undefined for the first.
 */
export async function* listStoredContents(
  blobs: Blobs,
  from: string | undefined,
): AsyncGenerator<StoredContent> {
  const walks = blobFolders.map((folder) => contentsIn(blobs, folder, from))
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
  for await (const content of listStoredContents(blobs, sha256.slice(0, -1))) {
    if (content.sha256 === sha256) return content
    if (content.sha256 > sha256) return undefined
  }
  return undefined
}
