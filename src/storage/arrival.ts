// The sign in a store that a move of photos into it has not ended; where rows move too, the database has it instead.
import type { Blobs } from './port.ts'

export const arrivalKey = 'arrival'

/** @throws Error of one sentence where the photos of a move have not all come. */
export async function requireBlobsArrived(blobs: Pick<Blobs, 'has'>): Promise<void> {
  // A store that does not answer just now is no reason for a server not to start: it answers 503 until it does.
  if (!(await blobs.has(arrivalKey).catch(() => false))) return
  const sentence =
    'A migration of photos to this BLOB_URL is in progress or was interrupted: run the same "waymark move" again.'
  throw Object.assign(new Error(sentence), { failureCode: 'not-there' })
}
