// Migrates photos: first all of them while the service continues, then again those whose rows have changed since.
import type { Db } from '../../database/database.ts'
import type { ChangedKeys } from '../../database/departure.ts'
import { listContentsOf } from '../../images/storage/content-table.ts'
import type { Blobs } from '../../storage/port.ts'
import { moveBlobs, type LostOriginal, type MoveBlobsOptions } from './move-blobs.ts'

/** Ids per statement. */
const pageLength = 500

/** The tables that determine which blobs must exist. */
export const tablesOfPhotos: ReadonlySet<string> = new Set(['content', 'rendition', 'image'])

export interface MovedPhotos {
  /** Copied, or already there. */
  readonly files: number
  readonly fileBytes: number
  readonly missingRenditions: number
}

export interface MovePhotosDependencies {
  readonly from: Pick<Blobs, 'open'>
  readonly to: Pick<Blobs, 'open' | 'put' | 'list'>
  readonly signal: AbortSignal
  readonly onContent: (bytes: number) => void
}

const firstOf = (changes: ChangedKeys, table: string): unknown[] =>
  (changes.get(table) ?? []).map(([value]) => value)

export function createMovePhotos({ from, to, signal, onContent }: MovePhotosDependencies) {
  const lost = new Map<string, LostOriginal>()
  const missing = new Map<string, number>()
  let [files, fileBytes] = [0, 0]

  const move = (options: Pick<MoveBlobsOptions, 'db' | 'compare' | 'only' | 'onContent'>) =>
    moveBlobs({ from, to, signal, ...options })

  async function contentsOfImages(db: Db, images: readonly number[]): Promise<string[]> {
    const found: string[] = []
    for (let start = 0; start < images.length; start += pageLength)
      found.push(...(await listContentsOf(db, images.slice(start, start + pageLength))))
    return found
  }

  /** Replaces earlier findings about these contents. */
  async function bringAgain(db: Db, contents: ReadonlySet<string>, compare: MoveBlobsOptions['compare']) {
    const only = [...contents]
    const moved = await move({ db, compare, only })
    for (const sha256 of only) {
      lost.delete(sha256)
      missing.delete(sha256)
    }
    for (const one of moved.lost) lost.set(one.content.sha256, one)
    for (const [sha256, count] of moved.missingRenditions) missing.set(sha256, count)
    files += moved.copied
    fileBytes += moved.copiedBytes
  }

  return {
    /** The longest part. Missing originals are reported by `check`. */
    copyAll: async (db: Db): Promise<void> => {
      await move({ db, compare: 'hashes', onContent })
    },

    /** Checks that each blob of the rows is there with the right length, and copies it if not. */
    check: async (db: Db): Promise<void> => {
      const moved = await move({ db, compare: 'lengths', onContent })
      for (const one of moved.lost) lost.set(one.content.sha256, one)
      for (const [sha256, count] of moved.missingRenditions) missing.set(sha256, count)
      files += moved.blobs
      fileBytes += moved.blobBytes
    },

    /** Copies the blobs of changed rows. Blobs whose rows are gone are left for garbage collection in the target. */
    follow: async (db: Db, changes: ChangedKeys): Promise<void> => {
      const stored = new Set([...firstOf(changes, 'content'), ...firstOf(changes, 'rendition')].map(String))
      for (const sha256 of lost.keys()) stored.add(sha256) // it may have been restored
      // A content that no image showed before has not been copied yet.
      const shown = await contentsOfImages(db, firstOf(changes, 'image').map(Number))
      await bringAgain(db, stored, 'hashes')
      await bringAgain(db, new Set(shown.filter((sha256) => !stored.has(sha256))), 'lengths')
    },

    lost: (): readonly LostOriginal[] => [...lost.values()],

    moved: (): MovedPhotos => ({
      files,
      fileBytes,
      missingRenditions: missing.values().reduce((sum, count) => sum + count, 0),
    }),
  }
}

export type MovePhotos = ReturnType<typeof createMovePhotos>
