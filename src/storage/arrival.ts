// The mark in a store that a migration of photos into it has not finished; if rows are migrated too, it is in the
// database.
import type { Blobs } from './port.ts'

export const arrivalKey = 'arrival'

/** @throws Error of one sentence if a migration of photos has not finished. */
export async function requireBlobsArrived(blobs: Pick<Blobs, 'has'>): Promise<void> {
  // An unavailable store does not stop a server from starting: it answers 503 until the store responds.
  if (!(await blobs.has(arrivalKey).catch(() => false))) return
  const sentence =
    'A migration of photos to this BLOB_URL is in progress or was interrupted: run the same "waymark move" again.'
  throw Object.assign(new Error(sentence), { failureCode: 'not-there' })
}
