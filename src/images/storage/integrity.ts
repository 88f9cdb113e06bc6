// Is what the database says is stored there, and whole? The rules of `waymark check`, for stores of any size.
import type { Blobs } from '../../storage/port.ts'
import { inOrder } from '../../shared/in-order.ts'
import { imageSizes } from '../../shared/image-sizes.ts'
import type { Database, Db } from '../../database/database.ts'
import { mendCounts, type CountedRows } from '../../database/account-counts.ts'
import { findWrongSquares } from '../../database/map-squares.ts'
import { isOfOriginal, isRemovedName, originalKey, renditionKey } from './blob-keys.ts'
import { takeOriginal, type SeenBlob } from './originals.ts'
import { listImagesShowing, listShownContent, type ShownContent } from './content-table.ts'
import { listRenditions, type StoredRendition } from './rendition-table.ts'
import { takeWhole, unreadable } from './whole-blob.ts'

const pageLength = 500
const imagesNamed = 3
const accountsNamed = 3
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

/** The original of a content was looked at. */
interface LookedAt {
  /** The end of a sentence; undefined where nothing is wrong with it. */
  readonly fault?: string
  /** The size lg that it was rebuilt from, which need not be read again. */
  readonly large?: SeenBlob
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

  /** What the length of a blob tells is wrong with it, as the end of a sentence. */
  async function lengthFaultOf(key: string, bytes: number): Promise<string | undefined> {
    try {
      const blob = await blobs.open(key)
      await blob?.close()
      if (!blob) return 'is missing'
      return blob.bytes === bytes ? undefined : `has ${blob.bytes} bytes instead of ${bytes}`
    } catch (error) {
      return unreadable(error).fault // a failing disk: what the check is for
    }
  }

  /** What the lengths tell is wrong with the original, or with what it is rebuilt from. */
  async function lengthFault(
    { sha256, bytes }: ShownContent,
    renditions: readonly StoredRendition[],
  ): Promise<string | undefined> {
    if (!renditions.some(({ name }) => isRemovedName(name))) return lengthFaultOf(originalKey(sha256), bytes)
    for (const { name, bytes: length } of renditions.filter((row) => isOfOriginal(row.name))) {
      const fault = await lengthFaultOf(renditionKey(sha256, name), length)
      if (fault !== undefined) return fault
    }
    return undefined
  }

  /** Looks at the original in whichever form it is stored. */
  async function lookAtOriginal(content: ShownContent, depth: CheckDepth): Promise<LookedAt> {
    const { sha256 } = content
    const renditions = await listRenditions(db, sha256)
    if (depth === 'bytes') return takeOriginal(blobs, content, renditions)
    const fault = await lengthFault(content, renditions)
    if (fault === undefined) return {}
    // It may have been given another size lg since the rows were read, or a crash left their length from before.
    return takeOriginal(blobs, content, await listRenditions(db, sha256))
  }

  async function tellOriginal(content: ShownContent, fault: string): Promise<Finding> {
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
    const key = renditionKey(sha256, name)
    const taken = await takeWhole(blobs, { ...rendition, key })
    if (!('fault' in taken)) return undefined
    const { fault } = taken
    const about = { what: 'rendition', sha256 } as const
    const begun = `Rendition ${name} ${fault}`
    if (!isRemakeable) return { ...about, severity: 'problem', detail: `${begun}, and so is its original.` }
    const isServed = name === 'lg' && fault === 'is damaged'
    return isServed
      ? {
          ...about,
          severity: 'problem',
          detail: `${begun} and is served that way: delete the blob ${key} to have it regenerated.`,
        }
      : { ...about, severity: 'warning', detail: `${begun}; it will be regenerated.` }
  }

  async function checkRenditions(sha256: string, { fault, large }: LookedAt): Promise<Finding[]> {
    const isRemakeable = fault === undefined
    const found: Finding[] = []
    const rows = await listRenditions(db, sha256)
    const renditions = rows.filter(({ name }) => !isRemovedName(name))
    // What the original is rebuilt from was judged with it; a row that says otherwise may be newer than what was read.
    const isJudged = ({ name, bytes, digest }: StoredRendition): boolean =>
      name === 'lg' &&
      (isRemakeable ? large?.bytes === bytes && large.digest === digest : renditions.length < rows.length)
    for (const rendition of renditions) {
      if (isJudged(rendition)) continue
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
    const seen = await lookAtOriginal(content, depth)
    const ofOriginal = seen.fault === undefined ? [] : [await tellOriginal(content, seen.fault)]
    const ofRenditions = depth === 'bytes' ? await checkRenditions(content.sha256, seen) : []
    return { content, findings: [...ofOriginal, ...ofRenditions] }
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
    const squares = wrong.map(({ zoom, count }) => `${count} of zoom ${zoom}`).join(', ')
    const detail = `Counts of photos on the map are wrong (squares: ${squares}), so that photos may be missing from vector tiles; "waymark move" to a new database counts again.`
    found({ severity: 'problem', what: 'database', detail })
  }

  async function checkCounts(found: (finding: Finding) => void, rows: CountedRows): Promise<void> {
    const { mended, left } = await mendCounts(db, rows)
    const report = (ids: readonly number[], what: string): void => {
      if (ids.length === 0) return
      const more = ids.length > accountsNamed ? ` and ${ids.length - accountsNamed} more` : ''
      const names = `${ids.length === 1 ? 'account' : 'accounts'} ${ids.slice(0, accountsNamed).join(', ')}${more}`
      const detail = `The counts that quotas are judged by did not match the ${rows} of ${names}${what}.`
      found({ severity: 'warning', what: 'database', detail })
    }
    report(mended, '; they were corrected')
    report(left, ', and stay so while the installation is read-only; check again afterwards')
  }

  return {
    /**
     * Checks the database, all content that images show (many at once), the counts of accounts, which it corrects, and the
     * squares of the map. Safe while a server runs: what an image shows is never removed or changed.
     * @param found is called with each finding, those of contents in the order of hashes.
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
      await checkCounts(found, 'images')
      await checkCounts(found, 'routes')
      await checkMapSquares(found) // where the database is damaged it may throw: what was found so far is told
      return { images, contents }
    },
  }
}
