// Keeps renditions and gives them out whole: what a power cut lost or damaged is remade, once, and never served.
import type { Blobs, OpenBlob } from '../../storage/port.ts'
import type { Db } from '../../database/database.ts'
import { inMemory, renditionVersion, type MadeRendition, type Renditions } from '../../imaging/renditions.ts'
import { isOfOriginal, isRemovedName, originalKey, renditionKey } from '../storage/blob-keys.ts'
import { findReadOnly } from '../../database/read-only.ts'
import { refuse, Refusal } from '../../errors.ts'
import { inEach } from '../../texts/texts.ts'
import { singleFlight } from '../../shared/single-flight.ts'
import { findContent } from '../storage/content-table.ts'
import { noteKeptWhole, reconsiderKeptWhole } from '../storage/original-table.ts'
import {
  findRendition,
  keepOutdated,
  listRenditions,
  saveRenditions,
  type FoundRendition,
  type StoredRendition,
} from '../storage/rendition-table.ts'
import { digestOf, removedFrom, takeOriginal, type NamedBytes } from '../storage/originals.ts'

export interface RenditionStoreDependencies {
  readonly db: Db
  readonly blobs: Blobs
  readonly renditions: Renditions
  /** Is told each time that the renditions of a content were made anew. */
  readonly onRemade?: () => void
  /** Whether a view may set off work that could as well be done later. */
  readonly isIdle?: () => boolean
}

/** Size lg is as large as the upload, so it is judged by its length; the small ones by their hash. */
const isLarge = (name: string): boolean => name === 'lg'

/** What may be otherwise when it is tried again, and is no fault of the photo. */
function isPassing(error: unknown): boolean {
  if (error instanceof Refusal) return error.code === 'busy' || error.code === 'storage-unavailable'
  return error instanceof Error && 'code' in error
}

export function createRenditionStore(dependencies: RenditionStoreDependencies) {
  const { db, blobs, renditions, onRemade = () => undefined, isIdle = () => false } = dependencies

  async function putAll(sha256: string, files: readonly NamedBytes[]): Promise<void> {
    const ends = await Promise.allSettled(
      files.map(({ name, bytes }) =>
        blobs.put(renditionKey(sha256, name), bytes, isOfOriginal(name) ? 'durable' : 'remakeable'),
      ),
    )
    // Only when all have ended: whoever clears up after a failure must meet none that is still being written.
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  /** What size lg lacks first: the lg that it replaces may be all there is of the original. */
  async function put(sha256: string, files: readonly NamedBytes[]): Promise<void> {
    await putAll(
      sha256,
      files.filter(({ name }) => isRemovedName(name)),
    )
    await putAll(
      sha256,
      files.filter(({ name }) => !isRemovedName(name)),
    )
  }

  async function originalOf(sha256: string): Promise<Uint8Array> {
    const { bytes } = await findContent(db, sha256)
    const taken = await takeOriginal(blobs, { sha256, bytes }, await listRenditions(db, sha256))
    // A damaged original might still decode, and what was made of it would pass for right from then on.
    if ('fault' in taken) throw taken.error ?? new Error(`the original of content ${sha256} ${taken.fault}`)
    return taken.bytes
  }

  /** All that is to be stored of a content, with what is needed to rebuild its original from the new size lg. */
  async function withRemoved(sha256: string, original: Uint8Array, made: readonly MadeRendition[]) {
    const large = made.find(({ name }) => name === 'lg')
    const removed = large && removedFrom(sha256, original, large)
    if (removed) {
      await reconsiderKeptWhole(db, sha256)
      return [removed, ...made]
    }
    if (!(await noteKeptWhole(db, sha256)))
      throw refuse('busy', {
        detail: inEach(({ limits }) => limits.previousCopy),
        headers: { 'Retry-After': '1' },
      })
    await blobs.put(originalKey(sha256), original, 'durable') // even where there is one: nobody has read it just now
    return made
  }

  async function remake(sha256: string): Promise<void> {
    let original: Uint8Array = new Uint8Array(0)
    const { renditions: made } = await renditions.examine(async () => {
      original = await originalOf(sha256)
      return inMemory(original)
    })
    const files = await withRemoved(sha256, original, made)
    await put(sha256, files)
    await saveRenditions(db, sha256, rowsOf(files))
    onRemade()
  }

  /** One maker per content, however many ask for whichever of its sizes. */
  const remakeOnce = singleFlight(remake)

  /**
   * Makes the renditions of a content anew that older rules made. Where nothing can be made of the original any more,
   * which newer rules may refuse, they stay as they are.
   * @returns whether they are new.
   * @throws refusals `busy`, `storage-unavailable`, and what the system says where it does not answer.
   */
  async function renew(sha256: string): Promise<boolean> {
    try {
      await remakeOnce(sha256)
      return true
    } catch (error) {
      if (isPassing(error)) throw error
      await keepOutdated(db, sha256)
      return false
    }
  }

  /** A view of what older rules made is as good a time as any to make it anew; but nobody goes without it for that. */
  async function renewAtView({ name, version }: FoundRendition, sha256: string): Promise<boolean> {
    if (!isLarge(name) || version >= renditionVersion || !isIdle() || (await findReadOnly(db))) return false
    return renew(sha256).catch(() => false)
  }

  /** The rendition of the first of the names there is, from `take`; remade once where `take` finds it wanting. */
  async function whole<T>(
    sha256: string,
    names: readonly string[],
    take: (rendition: StoredRendition) => Promise<T | undefined>,
  ): Promise<{ rendition: StoredRendition; taken: T }> {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const found = await findRendition(db, sha256, names)
      const isNew = found !== undefined && (await renewAtView(found, sha256))
      const rendition = isNew ? await findRendition(db, sha256, names) : found
      const taken = rendition && (await take(rendition))
      if (rendition && taken) return { rendition, taken }
      await remakeOnce(sha256)
    }
    throw new Error(`a rendition of content ${sha256} is still wrong after it was regenerated`)
  }

  return {
    put,
    renew,

    /** The bytes of a small rendition. */
    readSmall: (sha256: string, names: readonly string[]) =>
      whole(sha256, names, async (rendition) => {
        const bytes = await blobs.read(renditionKey(sha256, rendition.name))
        const isWhole = bytes && digestOf(bytes) === rendition.digest
        return isWhole ? bytes : undefined
      }),

    /** What is known of a rendition, without asking where its bytes are kept. */
    describe: async (sha256: string, names: readonly string[]): Promise<StoredRendition> =>
      (await whole(sha256, names, (rendition) => Promise.resolve(rendition))).rendition,

    /** Size lg in memory, for whoever has room for it. */
    readLarge: (sha256: string) =>
      whole(sha256, ['lg'], async (rendition) => {
        const bytes = await blobs.read(renditionKey(sha256, 'lg'))
        return bytes?.length === rendition.bytes ? bytes : undefined
      }),

    /** A rendition, opened: it is there, as long as it should be. The caller streams or closes it. */
    open: (sha256: string, names: readonly string[]) =>
      whole(sha256, names, async (rendition): Promise<OpenBlob | undefined> => {
        const blob = await blobs.open(renditionKey(sha256, rendition.name))
        if (blob && blob.bytes === rendition.bytes) return blob
        await blob?.close()
        return undefined
      }),
  }
}

export type RenditionStore = ReturnType<typeof createRenditionStore>

/** What the database keeps of renditions. */
export function rowsOf(made: readonly NamedBytes[]): StoredRendition[] {
  return made.map(({ name, bytes, digest }) => ({ name, bytes: bytes.length, digest }))
}
