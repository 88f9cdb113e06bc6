// Which statements PostgreSQL prepares once for each connection: those that come again, under a name for their text.
import { createBoundedCache } from '../../shared/bounded-cache.ts'

/** Seen so often before it is prepared: lists of values make texts that never come again. */
const seenBefore = 2
/** Plans are kept by each connection of the server: some 20 KB each. */
const maxPrepared = 300
const maxSeen = 2_000

export interface PreparedNames {
  /** @returns undefined for a text that is not worth it. */
  nameOf(text: string): string | undefined
}

export function createPreparedNames(): PreparedNames {
  const names = new Map<string, string>()
  const seen = createBoundedCache<number>({ max: maxSeen })
  return {
    nameOf: (text) => {
      const known = names.get(text)
      if (known !== undefined || names.size >= maxPrepared) return known
      const count = (seen.get(text) ?? 0) + 1
      if (count <= seenBefore) {
        seen.set(text, count)
        return undefined
      }
      seen.delete(text)
      const name = `w${names.size}`
      names.set(text, name)
      return name
    },
  }
}
