// Deletes the blobs of contents that no image shows, whatever else runs: the work of the sweep and the trash, and that of an upload that failed.
import type { Blobs } from '../../storage/port.ts'
import type { Db } from '../../database/database.ts'
import { condemnContents, markedForMs, forgetContents, isReferenced } from './content-table.ts'

export interface Removal {
  readonly db: Db
  readonly blobs: Pick<Blobs, 'removeAll'>
  readonly now: () => number
}

export interface Removed {
  /** Blobs, of contents that are gone as a whole. */
  readonly blobs: number
  /** Contents of which something could not be removed, or not in time: they keep their mark, and the sweep tries again. */
  readonly left: readonly string[]
}

/** Keys of contents, by their hashes. */
export type KeysOf = (contents: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>

/**
 * Marks the contents, removes their blobs many at once, and lifts the marks of those that are gone: a page of them in two
 * transactions, however many there are. What an image shows is left alone, and what is being deleted already.
 * @param keysOf is asked for those that were marked, of which nothing comes or goes from then on; all keys of each, as far
 *   as they are known: what is not among them is left to the sweep.
 */
export async function removeContents(
  { db, blobs, now }: Removal,
  contents: readonly string[],
  keysOf: KeysOf,
): Promise<Removed> {
  const at = now()
  const marked = await condemnContents(db, contents, at)
  if (marked.length === 0) return { blobs: 0, left: [] }
  const keys = await keysOf(marked)
  const ofContent = (sha256: string): readonly string[] => keys.get(sha256) ?? []
  // A store this slow: the mark may soon be another's.
  const mayGoOn = (): boolean => now() - at <= markedForMs / 2
  const failed = await blobs.removeAll(marked.flatMap(ofContent), mayGoOn)
  const isGone = (sha256: string): boolean => !ofContent(sha256).some((key) => failed.has(key))
  const { gone = [], left = [] } = Object.groupBy(marked, (sha256) => (isGone(sha256) ? 'gone' : 'left'))
  await forgetContents(db, gone, at)
  return { blobs: gone.flatMap(ofContent).length, left }
}

/**
 * The same for a single one, which nearly always is shown by an image.
 * @returns how many blobs were removed.
 */
export async function removeUnreferenced(
  removal: Removal,
  sha256: string,
  keys: readonly string[],
): Promise<number> {
  if (await isReferenced(removal.db, sha256)) return 0 // the usual answer, without a write
  const { blobs } = await removeContents(removal, [sha256], async () => new Map([[sha256, keys]]))
  return blobs
}
