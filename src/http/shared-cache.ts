// What is made once for everybody who asks: bounded by bytes, and made once however many ask at the same time.
import { LRUCache } from 'lru-cache'

export interface SharedCacheOptions<Value> {
  readonly maxBytes: number
  /** Of a value, in memory; 0 for one that must not be cached. */
  readonly sizeOf: (value: Value) => number
}

/** Of an entry beside its value. */
const entryBytes = 512

/**
 * The key names the content: another one for everything that would make another value. So nothing is ever invalidated, and
 * several nodes agree; whether somebody may have the value is decided before it is looked for.
 */
export function createSharedCache<Value extends object>({ maxBytes, sizeOf }: SharedCacheOptions<Value>) {
  const cached = new LRUCache<string, Value>({
    maxSize: maxBytes,
    sizeCalculation: (value) => entryBytes + sizeOf(value),
  })
  const underWay = new Map<string, Promise<Value>>()

  async function makeAndKeep(key: string, make: () => Promise<Value>): Promise<Value> {
    try {
      const value = await make()
      if (sizeOf(value) > 0) cached.set(key, value)
      return value
    } finally {
      underWay.delete(key)
    }
  }

  return {
    /** Whether the value is there or being made: whoever asks for it now causes no work. */
    has: (key: string): boolean => cached.has(key) || underWay.has(key),

    /** The value, where it is there already. */
    get: (key: string): Value | undefined => cached.get(key),

    /** The value; whoever asks while it is made waits for the same. */
    find: (key: string, make: () => Promise<Value>): Promise<Value> => {
      const known = cached.get(key)
      if (known !== undefined) return Promise.resolve(known)
      const running = underWay.get(key)
      if (running !== undefined) return running
      const started = makeAndKeep(key, make)
      underWay.set(key, started)
      return started
    },
  }
}

/** Small values of the keys that were asked for last. */
export function rememberLast<Value extends object | string>(
  max: number,
): {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
} {
  return new LRUCache<string, Value>({ max })
}
