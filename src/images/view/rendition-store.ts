// Stores and reads renditions: those that a power cut lost or damaged are made again, once, and never served.
import type { Blobs, OpenBlob } from '../../storage/port.ts'
import type { Db } from '../../database/database.ts'
import { inMemory, renditionVersion, type Renditions } from '../../imaging/renditions.ts'
import { isOfOriginal, isRemovedName, originalKey, renditionKey } from '../storage/blob-keys.ts'
import { findReadOnly } from '../../database/read-only.ts'
import { refuse, Refusal } from '../../errors.ts'
import { inEach } from '../../texts/texts.ts'
import { singleFlight } from '../../shared/single-flight.ts'
import { findContent } from '../storage/content-table.ts'
import { noteStoredWhole, reconsiderStoredWhole } from '../storage/original-table.ts'
import {
  findSize,
  findSmallSizes,
  listRenditions,
  keepOutdated,
  saveRenditions,
  saveWebp,
  type FoundSize,
  type StoredRendition,
} from '../storage/rendition-table.ts'
import { removeSingleSizes } from '../storage/joining.ts'
import { digestOf, type NamedBytes } from '../storage/named-bytes.ts'
import { removedFrom, takeOriginal } from '../storage/originals.ts'
import { findBase, isWebp, joinSmall, smallName, withWebp } from '../storage/small-sizes.ts'

export interface RenditionStoreDependencies {
  readonly db: Db
  readonly blobs: Blobs
  readonly renditions: Renditions
  /** Called each time that the renditions of a content were regenerated. */
  readonly onRemade?: () => void
  /** Whether a view may set off work that could as well be done later. */
  readonly isIdle?: () => boolean
}

type Take<T> = (size: FoundSize) => Promise<T | undefined>
type Taken<T> = { readonly rendition: FoundSize; readonly taken: T } | undefined

interface SmallRead {
  readonly rendition: StoredRendition
  readonly taken: Uint8Array
}

/** Size lg is as large as the upload, so it is verified by its length; the small ones by their hash. */
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
    // A damaged original might still decode, and renditions of it would count as correct from then on.
    if ('fault' in taken) throw taken.error ?? new Error(`the original of content ${sha256} ${taken.fault}`)
    return taken.bytes
  }

  /** All that is to be stored of a content, with what is needed to rebuild its original from the new size lg. */
  async function withRemoved(sha256: string, original: Uint8Array, made: readonly NamedBytes[]) {
    const large = made.find(({ name }) => name === 'lg')
    const removed = large && removedFrom(sha256, original, large)
    if (removed) {
      await reconsiderStoredWhole(db, sha256)
      return [removed, ...made]
    }
    if (!(await noteStoredWhole(db, sha256)))
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
    const files = await withRemoved(sha256, original, joined(made))
    await put(sha256, files)
    await saveRenditions(db, sha256, rowsOf(files))
    await removeSingleSizes({ db, blobs }, sha256)
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
  async function renewAtView({ name, version }: FoundSize, sha256: string): Promise<boolean> {
    if (!isLarge(name) || version >= renditionVersion || !isIdle() || (await findReadOnly(db))) return false
    return renew(sha256).catch(() => false)
  }

  /** The first of the names there is, from `take`; undefined where there is none, or `take` finds it wanting. */
  async function findWhole<T>(sha256: string, names: readonly string[], take: Take<T>): Promise<Taken<T>> {
    for (let wanting: FoundSize | undefined; ;) {
      const found = await findSize(db, sha256, names)
      const isNew = found !== undefined && (await renewAtView(found, sha256))
      const rendition = isNew ? await findSize(db, sha256, names) : found
      if (rendition === undefined) return undefined
      if (rendition.key === wanting?.key && rendition.digest === wanting.digest) return undefined
      const taken = await take(rendition)
      if (taken !== undefined && taken !== false) return { rendition, taken }
      wanting = rendition // or put in another blob, or made anew, since the row was read
    }
  }

  /** The same, remade once where there is none. */
  async function whole<T>(sha256: string, names: readonly string[], take: Take<T>) {
    const found = await findWhole(sha256, names, take)
    if (found) return found
    await remakeOnce(sha256)
    const remade = await findWhole(sha256, names, take)
    if (remade) return remade
    throw new Error(`a rendition of content ${sha256} is still wrong after it was regenerated`)
  }

  const takeSmall: Take<Uint8Array> = async ({ key, start, bytes, digest }) => {
    const read = await blobs.readPart(key, start, bytes)
    return read && digestOf(read) === digest ? read : undefined
  }

  /** @returns the sizes in WebP; undefined where what they are made of is not there, or damaged. */
  async function makeWebp(sha256: string): Promise<readonly NamedBytes[] | undefined> {
    const small = await findSmallSizes(db, sha256)
    const base = small && findBase(small.parts)
    if (!small || !base) return undefined
    const key = renditionKey(sha256, smallName)
    const before = await blobs.readPart(key, 0, small.bytes)
    if (!before || digestOf(before) !== small.digest) return undefined
    const made = await renditions.makeWebp(before.subarray(base.start, base.start + base.bytes))
    const keep = async (): Promise<void> => {
      const { bytes, digest, parts } = withWebp(before, small.parts, made)
      // The row first: where there is no more than that, what WebP is made of is still there.
      const isSaved = await saveWebp(db, sha256, small, { bytes: bytes.length, digest, parts })
      if (isSaved) await blobs.put(key, bytes, 'remakeable')
    }
    if (await findReadOnly(db)) return made
    // Where a full disk cannot keep them they are shown all the same, and made again for the next view.
    await keep().catch(() => undefined)
    return made
  }

  const makeWebpOnce = singleFlight(makeWebp)

  async function readWebp(sha256: string, names: readonly string[]) {
    const found = await findWhole(sha256, names, takeSmall)
    if (found) return found
    let made = await makeWebpOnce(sha256)
    if (made === undefined) {
      const fromOthers = await findWhole(sha256, names, takeSmall) // another node has made it meanwhile
      if (fromOthers) return fromOthers
      await remakeOnce(sha256)
      // The one under way may have begun before there was anything to make it of: then the next one has.
      made = (await makeWebpOnce(sha256)) ?? (await makeWebpOnce(sha256))
    }
    const one = made?.find(({ name }) => names.includes(name))
    if (one === undefined) throw new Error(`WebP of content ${sha256} is still missing after it was made`)
    // A copy: the bytes as they came share the memory of the whole message from the worker.
    const bytes = new Uint8Array(one.bytes)
    return { rendition: { name: one.name, bytes: bytes.length, digest: one.digest }, taken: bytes }
  }

  /** The bytes of a small size. */
  const readSmall = (sha256: string, names: readonly string[]): Promise<SmallRead> =>
    names.every(isWebp) ? readWebp(sha256, names) : whole(sha256, names, takeSmall)

  return {
    put,
    renew,
    readSmall,

    /** What is known of a small size, without asking where its bytes are kept. */
    describeSmall: async (sha256: string, names: readonly string[]): Promise<StoredRendition> =>
      (await findSize(db, sha256, names)) ?? (await readSmall(sha256, names)).rendition,

    /** The same of one that is there: its bytes are not fetched. */
    findSmall: async (sha256: string, names: readonly string[]): Promise<StoredRendition> => {
      const found = await findWhole(sha256, names, async ({ key, start, bytes }) => {
        const blob = await blobs.open(key)
        await blob?.close()
        return blob && blob.bytes >= start + bytes
      })
      return (found ?? (await readSmall(sha256, names))).rendition
    },

    /** The same of size lg. */
    describeLarge: async (sha256: string): Promise<StoredRendition> =>
      (await whole(sha256, ['lg'], (rendition) => Promise.resolve(rendition))).rendition,

    /** Size lg in memory, for whoever has room for it. */
    readLarge: (sha256: string) =>
      whole(sha256, ['lg'], async ({ key, bytes: length }) => {
        const bytes = await blobs.read(key)
        return bytes?.length === length ? bytes : undefined
      }),

    /** Size lg, opened: it is there, as long as it should be. The caller streams or closes it. */
    openLarge: (sha256: string) =>
      whole(sha256, ['lg'], async ({ key, bytes }): Promise<OpenBlob | undefined> => {
        const blob = await blobs.open(key)
        if (blob && blob.bytes === bytes) return blob
        await blob?.close()
        return undefined
      }),
  }
}

export type RenditionStore = ReturnType<typeof createRenditionStore>

/** What is stored of what was made: size lg, and all small sizes in one. */
export function joined(made: readonly NamedBytes[]): NamedBytes[] {
  const small = made.filter(({ name }) => !isLarge(name))
  return [...made.filter(({ name }) => isLarge(name)), ...(small.length > 0 ? [joinSmall(small)] : [])]
}

/** What the database keeps of renditions. */
export function rowsOf(made: readonly NamedBytes[]): StoredRendition[] {
  return made.map(({ bytes, ...row }) => ({ ...row, bytes: bytes.length }))
}
