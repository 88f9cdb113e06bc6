// What commits have touched, by tags: between the databases, which tell it, and the answers in memory, which depend on it.

/**
 * What answers depend on, by name. `feed`: the list of events. `credentials`: who calls, whatever it is that they ask.
 * `square:…`: listed photos in a square of the map (shared/geo/cells.ts), and `squares` those whose place was not told.
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

/** Tags whose last commit is remembered; beyond that everything counts as touched. */
const maxTouched = 50_000

/** What a cache of answers needs to know about commits. */
export interface Changes {
  /** Finds out what other programs committed; to be called before anything that is kept is believed. */
  look(): void
  /** How many commits are known of. */
  count(): number
  /** Whether none of the commits after that count touched any of the tags. */
  isUntouchedSince(count: number, tags: readonly Tag[]): boolean
}

/** @param look calls `committed` where somebody else may have committed something. */
export function createChanges({ look }: Pick<Changes, 'look'>) {
  /** By tag, the count of the last commit that touched it. */
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

    isUntouchedSince: (since: number, tags: readonly Tag[]): boolean => {
      if (everythingAt > since) return false
      for (const tag of tags) if ((touchedAt.get(tag) ?? 0) > since) return false
      return true
    },

    /** Called in the turn in which the commit has become true. */
    committed: (change: Change): void => {
      if (change !== 'everything' && change.size === 0) return
      count += 1
      if (change === 'everything') return touchEverything()
      for (const tag of change) touchedAt.set(tag, count)
      if (touchedAt.size > maxTouched) touchEverything()
    },
  }
}
