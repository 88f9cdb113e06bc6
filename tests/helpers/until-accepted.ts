// Retries writes that are refused because the database is busy, as clients do.

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EBUSY'

/**
 * Repeats `work` while the database refuses it as busy, which changes nothing. On a slow machine, a writer may exceed its
 * time limit, which is not what these tests are about.
 */
export async function untilAccepted<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error)) throw error
    }
  }
}
