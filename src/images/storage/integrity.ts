// Is what the database says is stored there, and whole? The rules of `waymark check`, for stores of any size.
import { createHash } from 'node:crypto'
import type { Blobs } from '../../storage/port.ts'
import { inOrder } from '../../shared/in-order.ts'
import { imageSizes } from '../../shared/image-sizes.ts'
import type { Database, Db } from '../../database/database.ts'
import { findWrongSquares } from '../../database/map-squares.ts'
import { isOfOriginal, isRemovedName, originalKey } from './blob-keys.ts'
import { takeOriginal } from './originals.ts'
import { listImagesShowing, listShownContent, type ShownContent } from './content-table.ts'
import { listRenditions, type StoredRendition } from './rendition-table.ts'
import { wantedOf, type WantedBlob } from './whole-blob.ts'

const pageLength = 500
const imagesNamed = 3
/** Contents: a store a network away is waited for, and of files more at once bring nothing. */
const contentsAtOnce = 16
/** Of the originals that are rebuilt at once, which each is in memory up to three times; a larger one is alone. */
const maxBytesAtOnce = 64 * 1024 * 1024

export interface Finding {
  /** A warning mends itself; a problem needs the operator. */
  readonly severity: 'problem' | 'warning'
  readonly what: 'database' | 'original' | 'rendition'
  /** The content it is about: SHA-256 of the original, hex. */
  readonly sha256?: string
  /** One sentence or two. */
  readonly detail: string
}

export interface Checked {
  readonly images: number
  /** Distinct originals. */
  readonly contents: number
  /** Of a check that was stopped: the content with which the next one goes on. */
  readonly goesOnAt?: string
}

export interface CheckOptions {
  /** The content at which to begin, or its first digits; without it, the first. */
  readonly from?: string | undefined
  /** Begins no more contents from then on. */
  readonly signal?: AbortSignal
  /** Is told the hash of each content that is done, in the order of hashes. */
  readonly onChecked?: (sha256: string) => void
}

/** `lengths` looks at originals only and reads none of their bytes; `bytes` reads every blob and its hash. */
export type CheckDepth = 'lengths' | 'bytes'

interface Seen {
  readonly bytes: number
  /** SHA-256, hex; undefined where the bytes were not read. */
  readonly digest: string | undefined
}

export interface IntegrityDependencies {
  readonly database: Pick<Database, 'db' | 'findDamage'>
  readonly blobs: Pick<Blobs, 'open'>
}

/** `image 12`, or `images 12, 13, 14 and 2 more`. */
export async function namesOfImages(db: Db, { sha256, images }: ShownContent): Promise<string> {
  const ids = await listImagesShowing(db, sha256, imagesNamed)
  const more = images - ids.length
  return `${images === 1 ? 'image' : 'images'} ${ids.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** What comes before the hash, or before all that begin with these digits, and after every other that does. */
const justBefore = (digits: string): string => (digits.length < 64 ? digits : digits.slice(0, -1))

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export function createIntegrity({ database, blobs }: IntegrityDependencies) {
  const { db } = database

  /** Length and, if wanted, hash of a blob, in pieces; undefined where the key holds none. */
  async function look({ key }: WantedBlob, depth: CheckDepth): Promise<Seen | undefined> {
    const blob = await blobs.open(key)
    if (!blob) return undefined
    const { bytes } = blob
    if (depth === 'lengths' || bytes === 0) {
      await blob.close()
      return { bytes, digest: undefined }
    }
    const hash = createHash('sha256')
    for await (const chunk of blob.stream(0, bytes - 1)) hash.update(chunk as Uint8Array)
    return { bytes, digest: hash.digest('hex') }
  }

  /** What is wrong with a blob, as the end of a sentence; undefined where it is as the database says. */
  async function faultOf(wanted: WantedBlob, depth: CheckDepth): Promise<string | undefined> {
    try {
      const seen = await look(wanted, depth)
      if (!seen) return 'is missing'
      if (seen.bytes !== wanted.bytes) return `has ${seen.bytes} bytes instead of ${wanted.bytes}`
      return seen.digest === undefined || seen.digest === wanted.digest ? undefined : 'is damaged'
    } catch (error) {
      return `cannot be read (${messageOf(error)})` // a failing disk: what the check is for
    }
  }

  /** What the lengths tell is wrong with the original, or with what it is rebuilt from. */
  async function lengthFault(
    { sha256, bytes }: ShownContent,
    renditions: readonly StoredRendition[],
  ): Promise<string | undefined> {
    if (!renditions.some(({ name }) => isRemovedName(name)))
      return faultOf({ key: originalKey(sha256), bytes, digest: sha256 }, 'lengths')
    for (const rendition of renditions.filter(({ name }) => isOfOriginal(name))) {
      const fault = await faultOf(wantedOf(sha256, rendition), 'lengths')
      if (fault !== undefined) return fault
    }
    return undefined
  }

  /** What is wrong with the original, in whichever form it is stored, as the end of a sentence. */
  async function originalFault(content: ShownContent, depth: CheckDepth): Promise<string | undefined> {
    const { sha256 } = content
    const renditions = await listRenditions(db, sha256)
    if (depth === 'bytes') {
      const taken = await takeOriginal(blobs, content, renditions)
      return 'fault' in taken ? taken.fault : undefined
    }
    const fault = await lengthFault(content, renditions)
    if (fault === undefined) return undefined
    // It may have been given another size lg since the rows were read, or a crash left their length from before.
    const taken = await takeOriginal(blobs, content, await listRenditions(db, sha256))
    return 'fault' in taken ? taken.fault : undefined
  }

  async function checkOriginal(content: ShownContent, depth: CheckDepth): Promise<Finding | undefined> {
    const fault = await originalFault(content, depth)
    if (fault === undefined) return undefined
    const detail = `The original of ${await namesOfImages(db, content)} ${fault}; restore it from a backup.`
    return { severity: 'problem', what: 'original', sha256: content.sha256, detail }
  }

  /** The server judges size lg by its length, and the small ones by their hash (images/view/rendition-store.ts). */
  async function checkRendition(
    sha256: string,
    rendition: StoredRendition,
    isRemakeable: boolean,
  ): Promise<Finding | undefined> {
    const { name } = rendition
    const wanted = wantedOf(sha256, rendition)
    const fault = await faultOf(wanted, 'bytes')
    if (fault === undefined) return undefined
    const about = { what: 'rendition', sha256 } as const
    const begun = `Rendition ${name} ${fault}`
    if (!isRemakeable) return { ...about, severity: 'problem', detail: `${begun}, and so is its original.` }
    const isServed = name === 'lg' && fault === 'is damaged'
    return isServed
      ? {
          ...about,
          severity: 'problem',
          detail: `${begun} and is served that way: delete the blob ${wanted.key} to have it regenerated.`,
        }
      : { ...about, severity: 'warning', detail: `${begun}; it will be regenerated.` }
  }

  async function checkRenditions(sha256: string, isRemakeable: boolean): Promise<Finding[]> {
    const found: Finding[] = []
    const rows = await listRenditions(db, sha256)
    const renditions = rows.filter(({ name }) => !isRemovedName(name))
    // What the original is rebuilt from was judged with it.
    const isJudged = (name: string): boolean =>
      name === 'lg' && !isRemakeable && renditions.length < rows.length
    for (const rendition of renditions) {
      if (isJudged(rendition.name)) continue
      const finding = await checkRendition(sha256, rendition, isRemakeable)
      if (finding) found.push(finding)
    }
    const sizesThere = new Set(
      renditions
        .flatMap(({ name, parts }) => parts?.map((part) => part.name) ?? name)
        .map((name) => name.split('.')[0]),
    )
    const missing = imageSizes.filter((size) => !sizesThere.has(size))
    if (missing.length === 0) return found
    const detail = `No rendition is recorded for ${missing.join(', ')}; it will be generated.`
    return [...found, { severity: 'warning', what: 'rendition', sha256, detail }]
  }

  /** What is wrong with one content. */
  async function checkContent(content: ShownContent, depth: CheckDepth) {
    const finding = await checkOriginal(content, depth)
    const ofRenditions = depth === 'bytes' ? await checkRenditions(content.sha256, finding === undefined) : []
    return { content, findings: [...(finding ? [finding] : []), ...ofRenditions] }
  }

  async function* shownContents(begin: string): AsyncGenerator<ShownContent> {
    let after = begin
    for (;;) {
      const page = await listShownContent(db, after, pageLength)
      yield* page
      after = page.at(-1)?.sha256 ?? ''
      if (page.length < pageLength) return
    }
  }

  async function checkDatabase(found: (finding: Finding) => void): Promise<void> {
    // A database that is damaged badly throws instead of telling.
    const damage = await database.findDamage().catch(messageOf)
    if (damage !== undefined) found({ severity: 'problem', what: 'database', detail: damage })
  }

  async function checkMapSquares(found: (finding: Finding) => void): Promise<void> {
    const wrong = await findWrongSquares(db)
    if (wrong.length === 0) return
    const told = wrong.map(({ zoom, count }) => `${count} of zoom ${zoom}`).join(', ')
    const detail = `Counts of photos on the map are wrong (squares: ${told}), so that photos may be missing from vector tiles; "waymark move" to a new database counts again.`
    found({ severity: 'problem', what: 'database', detail })
  }

  return {
    /**
     * Checks the database, all content that images show, many at once, and the squares of the map. Safe while a server runs:
     * what an image shows is never removed or changed.
     * @param found is told each finding, those of contents in the order of hashes.
     */
    check: async (
      depth: CheckDepth,
      found: (finding: Finding) => void,
      { from = '', signal, onChecked }: CheckOptions = {},
    ): Promise<Checked> => {
      await checkDatabase(found)
      let images = 0
      let contents = 0
      let last = justBefore(from)
      const bounds = {
        atOnce: contentsAtOnce,
        weightOf: ({ bytes }: ShownContent) => (depth === 'bytes' ? bytes : 0),
        maxWeight: maxBytesAtOnce,
        ...(signal && { signal }),
      }
      const work = (content: ShownContent) => checkContent(content, depth)
      for await (const { content, findings } of inOrder(shownContents(last), work, bounds)) {
        for (const finding of findings) found(finding)
        images += content.images
        contents += 1
        last = content.sha256
        onChecked?.(last)
      }
      if (signal?.aborted === true) {
        const [next] = await listShownContent(db, last, 1)
        if (next) return { images, contents, goesOnAt: next.sha256 }
      }
      await checkMapSquares(found) // where the database is damaged it may throw: what was found so far is told
      return { images, contents }
    },
  }
}
