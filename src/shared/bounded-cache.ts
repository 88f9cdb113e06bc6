// A cache of bounded size that evicts the least recently used values. Only this file uses lru-cache.
import { LRUCache } from 'lru-cache'
import { createSingleFlight } from './single-flight.ts'

export interface Bound<Value> {
  /** In entries, or in units of `sizeOf`; 0 caches nothing. */
  readonly max: number
  /** 0 for a value that must not be cached. */
  readonly sizeOf?: (value: Value) => number
}

type CacheKey = string | number
export type CacheValue = object | string | number

/** The size of an entry besides its value, for small values. */
export const entryBytes = 512

/**
 * Best with keys that identify the content, so that any other value has another key: then nothing must ever be
 * invalidated, and several nodes agree. If the value of a key changes over time, use a mark: createMarkedCache.
 */
export function createBoundedCache<Value extends CacheValue, Key extends CacheKey = string>({
  max,
  sizeOf = () => 1,
}: Bound<Value>) {
  const cached = max === 0 ? undefined : new LRUCache<Key, Value>({ maxSize: max })
  const underWay = createSingleFlight<Key, Value>()

  function set(key: Key, value: Value): void {
    cached?.delete(key) // the same value may have another size by now
    const size = sizeOf(value)
    if (size > 0) cached?.set(key, value, { size })
  }

  return {
    /** Whether the value is cached or being made: requesting it now causes no work. */
    has: (key: Key): boolean => cached?.has(key) === true || underWay.has(key),
    get: (key: Key): Value | undefined => cached?.get(key),
    /** The same, but it does not count as a use. */
    peek: (key: Key): Value | undefined => cached?.peek(key),
    set,
    delete: (key: Key): void => void cached?.delete(key),
    clear: (): void => cached?.clear(),
    values: (): readonly Value[] => [...(cached?.values() ?? [])],
    /** Of all values together. */
    size: (): number => cached?.calculatedSize ?? 0,

    /** The value, made if it is missing; concurrent callers share the work. */
    find: async (key: Key, make: () => Promise<Value>): Promise<Value> =>
      cached?.get(key) ??
      underWay.run(key, async () => {
        const value = await make()
        set(key, value)
        return value
      }),
  }
}

export type BoundedCache<Value extends CacheValue, Key extends CacheKey = string> = ReturnType<
  typeof createBoundedCache<Value, Key>
>

/**
 * Values that are valid as long as a mark stays the same, such as that of the last commit: with another mark they are
 * not found.
 */
export function createMarkedCache<Value, Key extends CacheKey = string, Mark = number>({
  max,
  sizeOf = () => 1,
}: Bound<Value>) {
  const cache = createBoundedCache<{ readonly mark: Mark; readonly value: Value }, Key>({
    max,
    sizeOf: ({ value }) => sizeOf(value),
  })
  return {
    get: (key: Key, mark: Mark): Value | undefined => {
      const found = cache.get(key)
      return found?.mark === mark ? found.value : undefined
    },
    set: (key: Key, mark: Mark, value: Value): void => cache.set(key, { mark, value }),
  }
}

/** The function, with cached results for its last keys. */
export function remembering<Value extends object | string>(
  max: number,
  make: (key: string) => Value,
): (key: string) => Value {
  const cache = createBoundedCache<Value>({ max })
  return (key) => {
    const known = cache.get(key)
    if (known !== undefined) return known
    const made = make(key)
    cache.set(key, made)
    return made
  }
}
