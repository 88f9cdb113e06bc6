// Retries long work that must not fail because of a temporary lock, such as that of an operator's own transaction.
import { setTimeout as pause } from 'node:timers/promises'

/** Pause between two attempts, so that waiting writers can proceed. */
const pauseMs = 1_000
/** Each attempt itself waits for some seconds, and keeps others from writing in the meantime. */
const maxTries = 30

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EBUSY'

/** @param work must have no effect if it rejects. */
export async function whenFree<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || tries >= maxTries) throw error
      await pause(pauseMs, undefined, signal && { signal })
    }
}
