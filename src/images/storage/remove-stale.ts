// Deletes what a crash or an older node left beside what is needed: what older sizes lg of a photo lacked, and small sizes
// with blobs of their own.
import type { Blobs } from '../../storage/port.ts'
import type { Db } from '../../database/database.ts'
import { findReadOnly } from '../../database/read-only.ts'
import { isRemovedName, nameIn, renditionKey } from './blob-keys.ts'
import { findRemovedName, rebuildStored } from './originals.ts'
import { removeSingleSizes } from './joining.ts'
import { findSmallSizes, forgetRendition, listRenditions } from './rendition-table.ts'
import { smallName } from './small-sizes.ts'

const removedIn = (keys: readonly string[]): string[] =>
  keys.flatMap((key) => nameIn(key) ?? []).filter((name) => isRemovedName(name))

const hasJoined = (keys: readonly string[]): boolean => {
  const names = keys.map(nameIn)
  return (
    names.includes(smallName) &&
    names.some((name) => name !== undefined && /^\w+\.(?:jpeg|png|webp)$/.test(name))
  )
}

/** Whether there is more than one size lg can need, or a small size besides the blob that has them all. */
export const mayBeStale = (keys: readonly string[]): boolean => removedIn(keys).length > 1 || hasJoined(keys)

/**
 * Only what was written long ago: the size lg that it is for is about to be put there otherwise.
 * @param keys of all blobs of the content, which images show.
 * @returns how many were removed: none where the original could not be rebuilt from what stays.
 */
export async function removeStale(
  { db, blobs }: { readonly db: Db; readonly blobs: Blobs },
  sha256: string,
  keys: readonly string[],
): Promise<number> {
  if (await findReadOnly(db)) return 0
  const singles = hasJoined(keys) && (await findSmallSizes(db, sha256)) !== undefined
  const joined = singles ? await removeSingleSizes({ db, blobs }, sha256) : 0
  // By the lg that is there, and by the row of one: a crash between the two leaves the row of another.
  const needed = await findRemovedName(blobs, sha256)
  if (needed === undefined || (await rebuildStored(blobs, sha256)) === undefined) return joined
  const known = new Set((await listRenditions(db, sha256)).map(({ name }) => name))
  const stale = removedIn(keys).filter((name) => name !== needed && !known.has(name))
  for (const name of stale) {
    await blobs.remove(renditionKey(sha256, name))
    await forgetRendition(db, sha256, name)
  }
  return joined + stale.length
}
