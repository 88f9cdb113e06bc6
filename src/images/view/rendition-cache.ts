// Renditions in memory, by content: the least recently used are evicted, and what slow readers hold is counted.
import { createBorrowedBytes } from '../../shared/borrowed-bytes.ts'
import { createBoundedCache } from '../../shared/bounded-cache.ts'
import type { StoredRendition } from '../storage/rendition-table.ts'

const MiB = 1024 ** 2

export interface CachedRendition {
  readonly rendition: StoredRendition
  readonly bytes: Uint8Array
  /** As it is sent from memory: a short one as a text, a character a byte, which node:http writes with its headers. */
  readonly body: string | Uint8Array
}

const maxTextLength = 16 * 1024

export function cachedRendition(rendition: StoredRendition, bytes: Uint8Array): CachedRendition {
  return {
    rendition,
    bytes,
    body: bytes.length <= maxTextLength ? Buffer.from(bytes).toString('latin1') : bytes,
  }
}

/** The small renditions of a content, by the list of names they were asked for by, which is one object for each view. */
type SmallOnes = ReadonlyMap<readonly string[], CachedRendition>

const bytesOf = ({ bytes, body }: CachedRendition): number =>
  bytes.length + (body === bytes ? 0 : body.length)

const sizeOf = (ones: SmallOnes): number => ones.values().reduce((sum, one) => sum + bytesOf(one), 0)

/** @param megabytes setting IMAGE_CACHE_MEGABYTES. */
export function createRenditionCache(megabytes: number) {
  const bytesForLarge = Math.floor((megabytes * MiB) / 3)
  const bytesForSmall = megabytes * MiB - bytesForLarge
  const small = createBoundedCache<SmallOnes>({ max: bytesForSmall, sizeOf })
  const large = createBoundedCache<CachedRendition>({ max: bytesForLarge, sizeOf: bytesOf })
  /** Large ones that answers hold. One that is no longer cached is in memory all the same. */
  const borrowed = createBorrowedBytes<CachedRendition>({ max: bytesForLarge, sizeOf: bytesOf })

  return {
    /** The first of the names that the content has, where it is kept. */
    findSmall: (sha256: string, names: readonly string[]): CachedRendition | undefined =>
      small.get(sha256)?.get(names),

    keepSmall: (sha256: string, names: readonly string[], rendition: CachedRendition): void => {
      const others = small.get(sha256) ?? []
      small.set(sha256, new Map([...others, [names, rendition]]))
    },

    findLarge: large.get,
    keepLarge: large.set,

    /** To be asked before a large one is read into memory for one reader. */
    reserve: borrowed.reserve,

    /** The same for one that is cached, however many read it. */
    lend: borrowed.borrow,
  }
}
