// Brings every blob that a database refers to into another store, each compared with its hash on the way.
import type { Blobs } from '../../storage/port.ts'
import type { Db } from '../../database/database.ts'
import { isOfOriginal, isRemovedName, originalKey } from '../../images/storage/blob-keys.ts'
import { listShownAmong, listShownContent, type ShownContent } from '../../images/storage/content-table.ts'
import { listRenditions, type StoredRendition } from '../../images/storage/rendition-table.ts'
import { takeOriginal } from '../../images/storage/originals.ts'
import { takeWhole, wantedOf, type TakenBlob, type WantedBlob } from '../../images/storage/whole-blob.ts'
import { createListedLengths } from './listed-lengths.ts'

const pageLength = 500
/** Contents at once; each of their blobs is in memory as a whole. */
const atOnce = 4

export interface MoveBlobsOptions {
  readonly db: Db
  readonly from: Pick<Blobs, 'open'>
  readonly to: Pick<Blobs, 'open' | 'put' | 'list'>
  /** Hashes of the contents to copy; all if not given. */
  readonly only?: readonly string[]
  /** How an existing blob is recognised: by its bytes, or by its length if the bytes were compared before. */
  readonly compare: 'hashes' | 'lengths'
  readonly signal: AbortSignal
  /** Called after each content with the number of bytes in place. */
  readonly onContent?: ((bytes: number) => void) | undefined
}

export interface LostOriginal {
  readonly content: ShownContent
  /** The end of a sentence about it. */
  readonly fault: string
}

export interface MovedBlobs {
  readonly contents: number
  /** Blobs in their place now. */
  readonly blobs: number
  readonly blobBytes: number
  /** How many of these this call copied; the others already existed. */
  readonly copied: number
  readonly copiedBytes: number
  /**
   * By content: the number of renditions that are missing or wrong at the source. Servers regenerate them from the original.
   */
  readonly missingRenditions: ReadonlyMap<string, number>
  readonly lost: readonly LostOriginal[]
}

type Durability = 'durable' | 'remakeable'

interface Bringing {
  readonly by?: MoveBlobsOptions['compare']
  readonly take?: () => Promise<TakenBlob>
}

async function* allPages(db: Db): AsyncGenerator<ShownContent[]> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const page: ShownContent[] = await listShownContent(db, after, pageLength)
    yield page
    after = page.length < pageLength ? undefined : page.at(-1)?.sha256
  }
}

async function* pagesAmong(db: Db, contents: readonly string[]): AsyncGenerator<ShownContent[]> {
  for (let start = 0; start < contents.length; start += pageLength)
    yield await listShownAmong(db, contents.slice(start, start + pageLength))
}

/** Safe while a server uses the source: a blob changes only if it is regenerated, and then has another row. */
export async function moveBlobs(options: MoveBlobsOptions): Promise<MovedBlobs> {
  const { db, from, to, only, compare, signal, onContent } = options
  const lost: LostOriginal[] = []
  const missingRenditions = new Map<string, number>()
  let [contents, blobs, blobBytes, copied, copiedBytes] = [0, 0, 0, 0, 0]
  // If all are compared, they are listed, a thousand per call: a request for each would take as long as copying it.
  await using listed = only || compare === 'hashes' ? undefined : createListedLengths(to)

  async function lengthOf(key: string): Promise<number | undefined> {
    if (listed) return listed.lengthOf(key)
    const blob = await to.open(key)
    await blob?.close()
    return blob?.bytes
  }

  const isThere = async (wanted: WantedBlob, by: MoveBlobsOptions['compare']): Promise<boolean> =>
    by === 'hashes' ? 'bytes' in (await takeWhole(to, wanted)) : (await lengthOf(wanted.key)) === wanted.bytes

  /** @returns what is wrong with it at the source, as the end of a sentence; undefined once it is in place. */
  async function bring(
    wanted: WantedBlob,
    durability: Durability,
    { by = compare, take = () => takeWhole(from, wanted) }: Bringing = {},
  ): Promise<string | undefined> {
    signal.throwIfAborted()
    if (!(await isThere(wanted, by))) {
      const taken = await take()
      if ('fault' in taken) return taken.fault
      await to.put(wanted.key, taken.bytes, durability)
      copied += 1
      copiedBytes += wanted.bytes
    }
    blobs += 1
    blobBytes += wanted.bytes
    return undefined
  }

  /** @returns what is wrong with the first blob that the original is rebuilt from; undefined once all are in place. */
  async function bringRenditions(sha256: string, renditions: readonly StoredRendition[]) {
    let fault: string | undefined
    // What lg lacks belongs to one lg: if it is missing, an existing lg may be a different one of the same length.
    const removed = renditions.find(({ name }) => isRemovedName(name))
    const by = removed && !(await isThere(wantedOf(sha256, removed), compare)) ? 'hashes' : compare
    for (const rendition of renditions) {
      const { name } = rendition
      const durability = isOfOriginal(name) ? 'durable' : 'remakeable'
      const missing = await bring(wantedOf(sha256, rendition), durability, { by })
      if (missing === undefined) continue
      missingRenditions.set(sha256, (missingRenditions.get(sha256) ?? 0) + 1)
      if (isOfOriginal(name)) fault ??= missing
    }
    return fault
  }

  /** As uploaded, whatever form it has at the source. */
  async function bringOriginal(content: ShownContent, renditions: readonly StoredRendition[]): Promise<void> {
    const { sha256, bytes } = content
    const key = originalKey(sha256)
    const take = () => takeOriginal(from, content, renditions)
    const fault = await bring({ key, bytes, digest: sha256 }, 'durable', { take })
    if (fault !== undefined) lost.push({ content, fault })
  }

  async function moveContent(content: ShownContent): Promise<void> {
    const { sha256 } = content
    const start = blobBytes
    const renditions = await listRenditions(db, sha256)
    const isRebuilt = renditions.some(({ name }) => isRemovedName(name))
    const fault = await bringRenditions(sha256, renditions)
    if (!isRebuilt || fault !== undefined) await bringOriginal(content, renditions)
    contents += 1
    onContent?.(blobBytes - start)
  }

  async function movePage(page: readonly ShownContent[]): Promise<void> {
    await listed?.readTo(page.at(-1)?.sha256 ?? '')
    const waiting = page.values() // shared by all workers, so that each content is somebody's
    const work = async (): Promise<void> => {
      for (const content of waiting) await moveContent(content)
    }
    const outcomes = await Promise.allSettled(Array.from({ length: atOnce }, work)) // none may outlive a failure
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  for await (const page of only ? pagesAmong(db, only) : allPages(db)) await movePage(page)
  return { contents, blobs, blobBytes, copied, copiedBytes, missingRenditions, lost }
}
