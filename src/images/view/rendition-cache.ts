// Renditions in memory, by content: those asked for least lately make room, and what is lent to slow readers is counted.
import { createBoundedCache } from '../../shared/bounded-cache.ts'
import type { StoredRendition } from '../storage/content-table.ts'

const MiB = 1024 ** 2

export interface CachedRendition {
  readonly rendition: StoredRendition
  readonly bytes: Uint8Array
}

/** The small renditions of a content, by the list of names they were asked for by, which is one object for each view. */
type SmallOnes = ReadonlyMap<readonly string[], CachedRendition>

const sizeOf = (ones: SmallOnes): number => ones.values().reduce((sum, { bytes }) => sum + bytes.length, 0)

/** @param megabytes setting IMAGE_CACHE_MEGABYTES. */
export function createRenditionCache(megabytes: number) {
  const bytesForLarge = Math.floor((megabytes * MiB) / 3)
  const bytesForSmall = megabytes * MiB - bytesForLarge
  const small = createBoundedCache<SmallOnes>({ max: bytesForSmall, sizeOf })
  const large = createBoundedCache<CachedRendition>({
    max: bytesForLarge,
    sizeOf: ({ bytes }) => bytes.length,
  })
  /** Large ones that answers hold, in how many answers each. One that is no longer kept is in memory all the same. */
  const lent = new Map<CachedRendition, number>()
  let lentBytes = 0

  return {
    /** The first of the names that the content has, where it is kept. */
    findSmall: (sha256: string, names: readonly string[]): CachedRendition | undefined =>
      small.get(sha256)?.get(names),

    keepSmall: (sha256: string, names: readonly string[], kept: CachedRendition): void => {
      const others = small.get(sha256) ?? []
      small.set(sha256, new Map([...others, [names, kept]]))
    },

    findLarge: large.get,
    keepLarge: large.set,

    /**
     * To be asked before a large one is read into memory for one reader.
     * @returns what tells that the reader is done with it; undefined where too much is lent already.
     */
    reserve: (bytes: number): (() => void) | undefined => {
      if (lentBytes + bytes > bytesForLarge) return undefined
      lentBytes += bytes
      return () => {
        lentBytes -= bytes
      }
    },

    /**
     * The same for one that is kept, however many read it: whoever reads slowly holds it, kept or not.
     */
    lend: (kept: CachedRendition): (() => void) | undefined => {
      const readers = lent.get(kept) ?? 0
      if (readers === 0 && lentBytes + kept.bytes.length > bytesForLarge) return undefined
      lent.set(kept, readers + 1)
      if (readers === 0) lentBytes += kept.bytes.length
      return () => {
        const left = (lent.get(kept) ?? 0) - 1
        if (left > 0) return void lent.set(kept, left)
        lent.delete(kept)
        lentBytes -= kept.bytes.length
      }
    },
  }
}

export type RenditionCache = ReturnType<typeof createRenditionCache>
