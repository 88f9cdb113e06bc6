// Work that is done once for all who ask for it while it is under way: they share one promise.

export function createSingleFlight<Key, Value>() {
  const underWay = new Map<Key, Promise<Value>>()
  return {
    has: (key: Key): boolean => underWay.has(key),

    /** Begins the work, or joins it if it is under way for this key. */
    run: (key: Key, work: () => Promise<Value>): Promise<Value> => {
      const known = underWay.get(key)
      if (known) return known
      const begun = work().finally(() => underWay.delete(key))
      underWay.set(key, begun)
      return begun
    },
  }
}

/** The same for one kind of work, with or without a key. */
export function singleFlight<Value, Key = void>(
  work: (key: Key) => Promise<Value>,
): (key: Key) => Promise<Value> {
  const flight = createSingleFlight<Key, Value>()
  return (key) => flight.run(key, () => work(key))
}

/**
 * One at a time for each key, and whoever asks while one is under way shares the next one, with all who ask before it
 * begins: what they ask for must have begun after they asked.
 */
export function nextFlight<Value, Key = void>(
  work: (key: Key) => Promise<Value>,
): (key: Key) => Promise<Value> {
  const underWay = new Map<Key, Promise<Value>>()
  const waiting = new Map<Key, Promise<Value>>()

  function begin(key: Key): Promise<Value> {
    waiting.delete(key)
    const begun = work(key).finally(() => underWay.delete(key))
    underWay.set(key, begun)
    return begun
  }

  return (key) => {
    const shared = waiting.get(key)
    if (shared) return shared
    const before = underWay.get(key)
    if (!before) return begin(key)
    const beginNext = (): Promise<Value> => begin(key)
    const next = before.then(beginNext, beginNext)
    waiting.set(key, next)
    return next
  }
}
