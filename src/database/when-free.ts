// Long work that must not fail for a lock that somebody else has for a while, such as an operator's own transaction.
import { setTimeout as pause } from 'node:timers/promises'

/** Between two tries, in which whoever waits to write has its turn. */
const pauseMs = 1_000
/** Each of them waits for some seconds itself, and keeps others from writing meanwhile. */
const maxTries = 30

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EBUSY'

/** @param work leaves nothing done where it rejects. */
export async function whenFree<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || tries >= maxTries) throw error
      await pause(pauseMs, undefined, signal && { signal })
    }
}
