// Puts the blobs of a backup in their places, each only once its bytes are what the restored database says.
import { createHash } from 'node:crypto'
import type { Blobs } from '../../storage/port.ts'
import type { Db } from '../../database/database.ts'
import {
  contentOf,
  isOfOriginal,
  isRemovedName,
  nameIn,
  originalKey,
  renditionKey,
} from '../../images/storage/blob-keys.ts'
import { isReferenced } from '../../images/storage/content-table.ts'
import { findRendition } from '../../images/storage/rendition-table.ts'
import { backupNames } from './manifest.ts'
import type { Zip, ZipEntry } from './zip-reader.ts'

/** The waits of several for the disk are one wait; each is in memory as a whole. */
const atOnce = 8
/** Far above any blob that an upload could create. */
const maxBlobBytes = 64 * 1024 * 1024

export interface RestoreBlobsOptions {
  readonly db: Db
  readonly blobs: Pick<Blobs, 'put'>
  readonly zip: Pick<Zip, 'damaged'>
  readonly entries: AsyncIterable<ZipEntry>
  readonly signal: AbortSignal
  /** Called after each blob with the number of originals and bytes restored. */
  readonly onBlob: (originals: number, bytes: number) => void
}

export interface RestoredBlobs {
  readonly blobs: number
  readonly blobBytes: number
}

interface Place {
  readonly key: string
  /** Or what it is rebuilt from, together with size lg. */
  readonly isOriginal: boolean
  /** SHA-256, hex; undefined if no image shows it any more. */
  readonly digest: string | undefined
  /** As at upload: what can be made again from the original needs no wait for the disk. */
  readonly durability: 'durable' | 'remakeable'
}

async function placeOf(db: Db, entryName: string): Promise<Place | undefined> {
  if (!entryName.startsWith(backupNames.blobs)) return undefined
  const key = entryName.slice(backupNames.blobs.length)
  const sha256 = contentOf(key)
  if (sha256 === undefined) return undefined
  if (key === originalKey(sha256)) {
    const digest = (await isReferenced(db, sha256)) ? sha256 : undefined
    return { key, isOriginal: true, digest, durability: 'durable' }
  }
  const name = nameIn(key)
  if (name === undefined || key !== renditionKey(sha256, name)) return undefined
  const digest = (await findRendition(db, sha256, name))?.digest
  const durability = isOfOriginal(name) ? 'durable' : 'remakeable'
  return { key, isOriginal: isRemovedName(name), digest, durability }
}

export async function restoreBlobs(options: RestoreBlobsOptions): Promise<RestoredBlobs> {
  const { db, blobs, zip, entries, signal, onBlob } = options
  let [count, originals, restoredBytes] = [0, 0, 0]

  async function restoreBlob(entry: ZipEntry): Promise<void> {
    const place = await placeOf(db, entry.name)
    // A name is never used as a path: anything that is not a blob key is refused, such as `blobs/../../etc/passwd`.
    if (!place) throw zip.damaged(`${entry.name.slice(0, 200)} does not belong in a backup`)
    if (place.digest === undefined) return
    if (entry.bytes > maxBlobBytes) throw zip.damaged(`${entry.name} has ${entry.bytes} bytes`)
    const bytes = await entry.read()
    if (createHash('sha256').update(bytes).digest('hex') !== place.digest) {
      throw zip.damaged(`${entry.name} differs from what was backed up`)
    }
    await blobs.put(place.key, bytes, place.durability)
    count += 1
    if (place.isOriginal) originals += 1
    restoredBytes += bytes.length
    onBlob(originals, restoredBytes)
  }

  const running = new Set<Promise<void>>()
  const failures: unknown[] = []
  const start = (entry: ZipEntry): void => {
    const work = restoreBlob(entry)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => running.delete(work))
    running.add(work)
  }
  try {
    for await (const entry of entries) {
      signal.throwIfAborted()
      start(entry)
      if (running.size >= atOnce) await Promise.race(running)
      if (failures.length > 0) break
    }
  } finally {
    await Promise.all(running) // the cleanup after a failure must not meet a file that is still being written
  }
  if (failures.length > 0) throw failures[0]
  return { blobs: count, blobBytes: restoredBytes }
}
