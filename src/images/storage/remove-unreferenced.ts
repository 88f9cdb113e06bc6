// Deletes the blobs of one content that no image shows, whatever else runs: the sweep's work, and that of an upload that failed.
import type { Blobs } from '../../storage/port.ts'
import type { Db } from '../../database/database.ts'
import { condemnContents, markedForMs, forgetContents, isReferenced } from './content-table.ts'

export interface Removal {
  readonly db: Db
  readonly blobs: Blobs
  readonly now: () => number
}

/**
 * @param keys all of the content's, as far as they are known; what is not among them is left to the sweep.
 * @returns how many were removed: none where an image shows the content or where it is being deleted already.
 */
export async function removeUnreferenced(
  { db, blobs, now }: Removal,
  sha256: string,
  keys: readonly string[],
): Promise<number> {
  if (await isReferenced(db, sha256)) return 0 // the usual answer, without a write
  const at = now()
  if ((await condemnContents(db, [sha256], at)).length === 0) return 0
  for (const key of keys) {
    if (now() - at > markedForMs / 2) return 0 // a store this slow: the mark may soon be another's
    await blobs.remove(key)
  }
  await forgetContents(db, [sha256], at)
  return keys.length
}
