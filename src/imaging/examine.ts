// The whole work on one upload: its bytes in, its facts and renditions out.
import { createHash } from 'node:crypto'
import { Refusal, type RefusalCode } from '../errors.ts'
import type { Piece } from './container-parts.ts'
import type { ImageLimits } from './image-limits.ts'
import { inspect, readTold, type ToldByFile } from './inspect.ts'
import { makeSmallSizes, makeWebpSizes, type SmallRendition } from './resize.ts'
import { readPieces, type UploadBytes } from './upload-bytes.ts'

export interface MadeRendition {
  /** `lg`, or size and format such as `sm.jpeg`. */
  readonly name: string
  readonly bytes: Uint8Array
  /** SHA-256, hex. */
  readonly digest: string
}

export interface Examined extends ToldByFile {
  readonly mimeType: string
  readonly width: number
  readonly height: number
  /** 16 hex digits by which near-duplicates are found. */
  readonly dhash: string
  readonly renditions: readonly MadeRendition[]
}

/** A Refusal does not survive the passage between processes as one, so it travels as data. */
export interface Failed {
  readonly ok: false
  readonly code: RefusalCode
  readonly detail: string | undefined
  /** For the log, where the failure was none that the code expects. */
  readonly fault?: string
}

export interface Made {
  readonly ok: true
  readonly examined: Examined
  /** See Inspected. */
  readonly largePieces: readonly Piece[] | undefined
}

export type Outcome = Made | Failed

export interface MadeWebp {
  readonly ok: true
  readonly sizes: readonly MadeRendition[]
}

function rendition({ name, bytes }: SmallRendition): MadeRendition {
  return { name, bytes, digest: createHash('sha256').update(bytes).digest('hex') }
}

function failed(error: unknown): Failed {
  if (error instanceof Refusal) return { ok: false, code: error.code, detail: error.detail }
  // A file that trips our own code is no reason to answer 500: it is refused, and the log tells us.
  const fault = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { ok: false, code: 'broken-image', detail: 'The image could not be processed.', fault }
}

/** Inspects, decodes once and makes every size. Never rejects, whatever the bytes. */
export async function examine(bytes: Uint8Array, limits: ImageLimits): Promise<Outcome> {
  try {
    const { large, largePieces, source, ...facts } = await inspect(bytes, limits)
    const { sizes, dhash } = await makeSmallSizes(source)
    const renditions = [{ name: 'lg', bytes: large }, ...sizes].map(rendition)
    return { ok: true, examined: { ...facts, dhash, renditions }, largePieces }
  } catch (error) {
    return failed(error)
  }
}

export interface Told {
  readonly ok: true
  readonly told: ToldByFile
}

/** Reads what the metadata tells, and decodes nothing. Never throws. */
export function tell(bytes: Uint8Array, limits: ImageLimits): Told | Failed {
  try {
    return { ok: true, told: readTold(bytes, limits) }
  } catch (error) {
    return failed(error)
  }
}

/** Makes the small sizes in WebP of what was kept for that. Never rejects. */
export async function makeWebp(base: Uint8Array): Promise<MadeWebp | Failed> {
  try {
    return { ok: true, sizes: (await makeWebpSizes(base)).map(rendition) }
  } catch (error) {
    return failed(error)
  }
}

/** A photo has a few; of a hostile file they could be more to send than the bytes. */
const maxPieces = 1_000

const withLarge = (examined: Examined, bytes: Uint8Array): Examined => ({
  ...examined,
  renditions: examined.renditions.map((made) => (made.name === 'lg' ? { ...made, bytes } : made)),
})

/** What has to travel of an outcome: size lg not where the owner can cut it from the upload, which it has. */
export function forTravel(outcome: Outcome): Outcome {
  if (!outcome.ok || outcome.largePieces === undefined) return outcome
  if (outcome.largePieces.length > maxPieces) return { ...outcome, largePieces: undefined }
  return { ...outcome, examined: withLarge(outcome.examined, new Uint8Array(0)) }
}

/** What was examined, as it was before it travelled. */
export async function afterTravel({ examined, largePieces }: Made, upload: UploadBytes): Promise<Examined> {
  if (largePieces === undefined) return examined
  return withLarge(examined, await readPieces(upload, largePieces))
}
