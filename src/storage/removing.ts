// Deletes many keys of a store concurrently; each failure is reported with its key and does not stop the others.
import { assertKey } from './port.ts'

export interface Pace {
  readonly atOnce: number
  /** Called before each; if it returns false, no further deletion is started. */
  readonly mayGoOn: () => boolean
}

const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

const notBegun = (): Error => new Error('the removal was stopped before this key')

/** Processes them in the given order, this many at once. @param work must not throw. */
async function eachAtOnce<T>(
  all: Iterator<T, void>,
  atOnce: number,
  work: (one: T) => Promise<void>,
): Promise<void> {
  const worker = async (): Promise<void> => {
    for (let next = all.next(); next.done !== true; next = all.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** @returns why, of each key that is not known to be gone. */
export async function removeEach(
  keys: readonly string[],
  { atOnce, mayGoOn }: Pace,
  remove: (key: string) => Promise<void>,
): Promise<Map<string, Error>> {
  const failed = new Map<string, Error>()
  await eachAtOnce(keys.values(), atOnce, async (key) => {
    try {
      if (mayGoOn()) await remove(key)
      else failed.set(key, notBegun())
    } catch (error) {
      failed.set(key, errorOf(error))
    }
  })
  return failed
}

/** One key of a batch that is none of a store's must not take the others with it. */
function partition(keys: readonly string[]): [string[], Map<string, Error>] {
  const failed = new Map<string, Error>()
  const good = keys.filter((key) => {
    try {
      return assertKey(key) === key
    } catch (error) {
      failed.set(key, errorOf(error))
      return false
    }
  })
  return [good, failed]
}

function* batchesOf(keys: readonly string[], batch: () => number): Generator<readonly string[], void> {
  for (let at = 0; at < keys.length;) {
    const some = keys.slice(at, at + batch())
    yield some
    at += some.length
  }
}

/**
 * The same for a store that removes several in one call.
 * @param batch says how many the next call is to have.
 * @param remove says what failed of a batch, or throws.
 */
export async function removeInBatches(
  keys: readonly string[],
  { atOnce, mayGoOn, batch }: Pace & { readonly batch: () => number },
  remove: (keys: readonly string[]) => Promise<ReadonlyMap<string, Error>>,
): Promise<Map<string, Error>> {
  const [good, failed] = partition(keys)
  await eachAtOnce(batchesOf(good, batch), atOnce, async (some) => {
    try {
      const outcome = mayGoOn() ? await remove(some) : new Map(some.map((key) => [key, notBegun()]))
      for (const [key, error] of outcome) failed.set(key, error)
    } catch (error) {
      for (const key of some) failed.set(key, errorOf(error))
    }
  })
  return failed
}
