// The result of processing an upload, and its form between processes.
import type { RefusalCode } from '../errors.ts'
import type { Piece } from './container-parts.ts'
import type { FileMetadata } from './inspect.ts'
import type { Mark } from './marks.ts'
import { readPieces, type UploadBytes } from './upload-bytes.ts'

export interface MadeRendition {
  /** `lg`, or size and format such as `sm.jpeg`. */
  readonly name: string
  readonly bytes: Uint8Array
  /** SHA-256, hex. */
  readonly digest: string
}

export interface Examined extends FileMetadata {
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
  /** For the log, if the failure was unexpected. */
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

export interface DrawnMarks {
  readonly ok: true
  readonly marks: readonly Mark[]
}

export interface MetadataRead {
  readonly ok: true
  readonly metadata: FileMetadata
}

/** A photo has a few; of a hostile file they could be more to send than the bytes. */
const maxPieces = 1_000

const withLarge = (examined: Examined, bytes: Uint8Array): Examined => ({
  ...examined,
  renditions: examined.renditions.map((made) => (made.name === 'lg' ? { ...made, bytes } : made)),
})

/** The part of a result that must be sent: size lg only if the owner cannot cut it from the upload. */
export function forTravel(outcome: Outcome): Outcome {
  if (!outcome.ok || outcome.largePieces === undefined) return outcome
  if (outcome.largePieces.length > maxPieces) return { ...outcome, largePieces: undefined }
  return { ...outcome, examined: withLarge(outcome.examined, new Uint8Array(0)) }
}

/** The result, as it was before it was sent. */
export async function afterTravel({ examined, largePieces }: Made, upload: UploadBytes): Promise<Examined> {
  if (largePieces === undefined) return examined
  return withLarge(examined, await readPieces(upload, largePieces))
}
