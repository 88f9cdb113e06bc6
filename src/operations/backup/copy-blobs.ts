// Copies into a backup every blob that a copy of the database refers to, and removes from that copy what was not found.
import type { Blobs } from '../../storage/port.ts'
import type { Db } from '../../database/database.ts'
import { layoutOf } from '../../database/layout.ts'
import { isOfOriginal, isRemovedName, originalKey, renditionKey } from '../../images/storage/blob-keys.ts'
import { isReferenced, listShownContent, type ShownContent } from '../../images/storage/content-table.ts'
import { isStoredAsItCame, noteCopied } from '../../images/storage/original-table.ts'
import {
  findRendition,
  forgetRemoved,
  forgetRendition,
  forgetSingleSizes,
  listRenditions,
  listSingleSizes,
  type StoredRendition,
} from '../../images/storage/rendition-table.ts'
import { takeOriginal } from '../../images/storage/originals.ts'
import { takeWhole, wantedOf } from '../../images/storage/whole-blob.ts'
import { backupNames } from './manifest.ts'
import type { ZipWriter } from '../../storage/zip/zip-writer.ts'

const pageLength = 500

/** An original that could not be copied. */
export interface Lost {
  readonly content: ShownContent
  /** The end of a sentence about it, such as `is missing`. */
  readonly fault: string
}

/** What the same backup has copied already, in the order of an earlier copy of the database. */
export interface Before {
  readonly db: Db
  readonly lost: ReadonlySet<string>
}

export interface CopyOptions {
  /** The copy of the database. Rows of renditions that are not there as it says are deleted from it. */
  readonly db: Db
  readonly blobs: Pick<Blobs, 'open'>
  readonly zip: Pick<ZipWriter, 'add'>
  readonly before?: Before | undefined
  readonly signal: AbortSignal
  /** Called after each content, for work that lets others go first. */
  readonly rest?: (() => Promise<void>) | undefined
  /** Called after each content with the number of bytes added. */
  readonly onContent: (bytes: number) => void
}

/** A database from before 0.3 has no forms of originals: all are stored as uploaded. */
const hasForms = async (db: Db): Promise<boolean> =>
  (await layoutOf({ engine: 'sqlite', db })).some(
    ({ name, columns }) => name === 'content' && columns.includes('original'),
  )

export interface Copied {
  readonly blobs: number
  readonly blobBytes: number
  /** Renditions that were missing or not as the database says; they are made again from their original. */
  readonly forgotten: number
  readonly lost: readonly Lost[]
}

/**
 * Every blob is verified against the database before it is written, so that a backup contains no damaged one. Safe
 * while a server uploads, regenerates and deletes: a blob changes only if it is regenerated, and then has another row.
 */
export async function copyBlobs(options: CopyOptions): Promise<Copied> {
  const { db, blobs, zip, before, signal, rest, onContent } = options
  const lost: Lost[] = []
  let [copied, copiedBytes, forgotten] = [0, 0, 0]

  async function add(key: string, bytes: Buffer): Promise<void> {
    await zip.add(`${backupNames.blobs}${key}`, bytes)
    copied += 1
    copiedBytes += bytes.length
  }

  async function forget(sha256: string, name: string): Promise<void> {
    await forgetRendition(db, sha256, name)
    forgotten += 1
  }

  /** Of a rendition that was copied before; another with the same name cannot exist beside it. */
  async function earlier(sha256: string, name: string): Promise<StoredRendition | undefined> {
    return before && findRendition(before.db, sha256, name)
  }

  const tellsForms = await hasForms(db)

  /** Whether the original was copied before, as uploaded. */
  async function hasOriginal(sha256: string): Promise<boolean> {
    if (before === undefined || before.lost.has(sha256)) return false
    return tellsForms ? isStoredAsItCame(before.db, sha256) : isReferenced(before.db, sha256)
  }

  /** The renditions as their rows say, each copied or forgotten. @returns whether all that the original needs are there. */
  async function copyRenditions(sha256: string, renditions: readonly StoredRendition[]): Promise<boolean> {
    const known = await Promise.all(renditions.map(({ name }) => earlier(sha256, name)))
    const made = await Promise.all(
      renditions.map((rendition, index) =>
        known[index] ? Promise.resolve(undefined) : takeWhole(blobs, wantedOf(sha256, rendition)),
      ),
    )
    let isRebuildable = renditions.some(({ name }) => isRemovedName(name))
    for (const [index, { name, digest }] of renditions.entries()) {
      const found = made[index]
      if (found && 'bytes' in found) await add(renditionKey(sha256, name), found.bytes)
      else if (found || known[index]?.digest !== digest) {
        await forget(sha256, name)
        if (isOfOriginal(name)) isRebuildable = false
      }
    }
    return isRebuildable
  }

  /** Sizes that are in one blob with the others, and have their own rows still: nothing of these is in the backup. */
  async function forgetJoined(sha256: string, listed: readonly StoredRendition[]): Promise<void> {
    const singles = (await listSingleSizes(db, sha256)).map(({ name }) => name)
    const copied = new Set(listed.map(({ name }) => name))
    await forgetSingleSizes(
      db,
      sha256,
      singles.filter((name) => !copied.has(name)),
    )
  }

  async function copyContent(content: ShownContent): Promise<void> {
    const { sha256 } = content
    const renditions = await listRenditions(db, sha256)
    const isThere = await hasOriginal(sha256)
    const isRebuildable = await copyRenditions(sha256, renditions)
    await forgetJoined(sha256, renditions)
    if (!isThere && !isRebuildable) {
      // The copy of the database may be older than what is stored: the original is found in either form.
      const original = await takeOriginal(blobs, content, renditions)
      if ('fault' in original) lost.push({ content, fault: original.fault })
      else await add(originalKey(sha256), original.bytes)
    }
    if (!tellsForms) return
    await forgetRemoved(db, sha256, isRebuildable ? renditions : [])
    await noteCopied(db, sha256, { isRebuilt: !isThere && isRebuildable })
  }

  for (let after: string | undefined = ''; after !== undefined;) {
    const page: ShownContent[] = await listShownContent(db, after, pageLength)
    for (const content of page) {
      signal.throwIfAborted()
      const start = copiedBytes
      await copyContent(content)
      onContent(copiedBytes - start)
      await rest?.()
    }
    after = page.length < pageLength ? undefined : page.at(-1)?.sha256
  }
  return { blobs: copied, blobBytes: copiedBytes, forgotten, lost }
}
