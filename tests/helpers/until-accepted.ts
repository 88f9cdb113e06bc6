// Writes as clients make them: what is refused because the database is busy is sent again.

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EBUSY'

/**
 * Repeats the work for as long as the database refuses it as busy, which changes nothing. On a slow machine a writer may
 * reach the limit of its wait; what such a test is about must hold all the same.
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
