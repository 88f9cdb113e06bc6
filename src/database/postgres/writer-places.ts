// Limits how many connections of this node parallel writers may use or wait with; the rest are left for readers.
import { createSemaphore } from '../../shared/semaphore.ts'

/** Longer than this nobody waits here; the wait in the database comes on top of it. */
const maxMs = 1_000

export function createWriterPlaces(max: number) {
  const places = createSemaphore(max)
  return {
    /** @returns what gives the place back. @throws Error with code EBUSY where none was to be had in time. */
    take: async (): Promise<() => void> => {
      const late = new AbortController()
      const alarm = setTimeout(() => {
        late.abort(
          Object.assign(new Error('Too many requests are waiting to write to the database.'), {
            code: 'EBUSY',
          }),
        )
      }, maxMs)
      try {
        return await places.acquire({ signal: late.signal })
      } finally {
        clearTimeout(alarm)
      }
    },
  }
}

export type WriterPlaces = ReturnType<typeof createWriterPlaces>
