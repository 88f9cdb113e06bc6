// At most so many at once: whoever finds no place free waits for one, first come, first served.

export interface SemaphoreOptions {
  /** How many may wait; without it, any number. */
  readonly maxWaiting?: number
  /** What is thrown if that many wait already. */
  readonly whenFull?: () => Error
  /** Called when the last place becomes free. */
  readonly onIdle?: () => void
}

export interface Claim {
  /** Ends the wait: `acquire` then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Whose claim it is. Whoever is of another group than the last one comes first, so that one group never takes turns alone. */
  readonly group?: string
}

type Release = () => void

interface Waiter {
  readonly group: string | undefined
  readonly begin: () => void
}

export function createSemaphore(max: number, options: SemaphoreOptions = {}) {
  const { maxWaiting = Infinity, whenFull = () => new Error('too many are waiting'), onIdle } = options
  const waiting = new Set<Waiter>()
  let held = 0
  let lastGroup: string | undefined

  function release(): void {
    const [first] = waiting
    const isNext = ({ group }: Waiter): boolean => group === undefined || group !== lastGroup
    const next = waiting.values().find(isNext) ?? first
    if (next) return next.begin() // the place is handed on
    held -= 1
    if (held === 0) onIdle?.()
  }

  function grant(group: string | undefined): Release {
    lastGroup = group
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      release()
    }
  }

  function tryAcquire(group?: string): Release | undefined {
    if (held >= max) return undefined
    held += 1
    return grant(group)
  }

  async function acquire({ signal, group }: Claim = {}): Promise<Release> {
    signal?.throwIfAborted()
    const place = tryAcquire(group)
    if (place) return place
    if (waiting.size >= maxWaiting) throw whenFull()
    const { promise, resolve, reject } = Promise.withResolvers<Release>()
    const giveUp = (): void => {
      waiting.delete(waiter)
      reject(signal?.reason)
    }
    const waiter: Waiter = {
      group,
      begin: () => {
        waiting.delete(waiter)
        signal?.removeEventListener('abort', giveUp)
        resolve(grant(group))
      },
    }
    waiting.add(waiter)
    signal?.addEventListener('abort', giveUp, { once: true })
    return promise
  }

  return {
    /** Takes a place if one is free. @returns what gives it back; undefined if none is free. */
    tryAcquire,

    /** Waits for a place. @returns what gives it back. @throws the signal's reason, or what `whenFull` gives. */
    acquire,

    /** Works while it holds a place. */
    run: async <T>(work: () => Promise<T>, claim?: Claim): Promise<T> => {
      const leave = await acquire(claim)
      try {
        return await work()
      } finally {
        leave()
      }
    },

    /** How many hold a place, and how many wait for one. */
    load: () => ({ running: held, waiting: waiting.size }),
  }
}

export type Semaphore = ReturnType<typeof createSemaphore>

/** A semaphore for each key, which exists while a place of it is held: use it at once, and ask again the next time. */
export function createSemaphores(max: number): (key: number | string) => Semaphore {
  const byKey = new Map<number | string, Semaphore>()
  return (key) => {
    const known = byKey.get(key)
    if (known) return known
    const made = createSemaphore(max, { onIdle: () => byKey.delete(key) })
    byKey.set(key, made)
    return made
  }
}
