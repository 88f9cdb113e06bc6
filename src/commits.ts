// What commits have changed, as tags: reported by the databases, and used by caches of answers.

/**
 * What answers depend on. `feed`: the list of events. `credentials`: the identity of callers, for any request.
 * `square:…`: listed photos in a square of the map (shared/geo/cells.ts), and `squares` those whose location is
 * unknown.
 */
export type Tag =
  | 'feed'
  | 'credentials'
  | 'photos'
  | 'squares'
  | 'routes'
  | `${'image' | 'trail' | 'routes-of' | 'square'}:${number}`

/** What a commit may have changed. */
export type Change = 'everything' | ReadonlySet<string>

/** Both changes together. */
export const joined = (one: Change, other: Change): Change =>
  one === 'everything' || other === 'everything' ? 'everything' : new Set([...one, ...other])

/** How many tags are remembered; for older ones everything counts as changed. */
const maxTouched = 50_000

/** What a cache of answers needs to know about commits. */
export interface Changes {
  /** Looks for commits of other programs; call it before using anything that is cached. */
  look(): void
  /** The number of known commits. */
  count(): number
  /** Whether no commit after that number changed any of the tags. */
  isUnchangedSince(count: number, tags: readonly Tag[]): boolean
}

/** @param look calls `committed` if another program may have committed something. */
export function createChanges({ look }: Pick<Changes, 'look'>) {
  /** The number of the last commit that changed each tag. */
  const touchedAt = new Map<string, number>()
  let everythingAt = 0
  let count = 0

  function touchEverything(): void {
    everythingAt = count
    touchedAt.clear()
  }

  return {
    look,
    count: () => count,

    isUnchangedSince: (since: number, tags: readonly Tag[]): boolean => {
      if (everythingAt > since) return false
      for (const tag of tags) if ((touchedAt.get(tag) ?? 0) > since) return false
      return true
    },

    /** Called in the turn in which the commit took effect. */
    committed: (change: Change): void => {
      if (change !== 'everything' && change.size === 0) return
      count += 1
      if (change === 'everything') return touchEverything()
      for (const tag of change) touchedAt.set(tag, count)
      if (touchedAt.size > maxTouched) touchEverything()
    },
  }
}
