// Shared by the container parsers: types, bounded reading, bounded metadata, and the parts of a strip.
import { inflateSync } from 'node:zlib'
import type { MetadataBlock } from '../shared/formats/metadata-block.ts'
import type { ImageFormat } from '../shared/formats/image-formats.ts'
import { refuse } from '../errors.ts'
import type { Refusal } from '../errors.ts'
import type { ColourSpace } from './colour-space.ts'
import type { ImageLimits } from './image-limits.ts'

/** Formats that are parsed and stripped as files; a BMP is decoded. */
export type ContainerType = Exclude<ImageFormat, 'bmp'>

/** From the header alone, as decoded: a palette counts as 3 channels, 1 to 8 bits as one byte. */
export interface Header {
  readonly width: number
  readonly height: number
  readonly channels: number
  readonly bytesPerSample: number
}

/** A stretch of the uploaded bytes: `to` is the first byte that is not in it. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** The output of a strip: a range of the upload, or new bytes. */
export type Piece = Stretch | Uint8Array

/** A file whose structure was parsed to its end. Plain data, so it can be sent between processes. */
export interface Container extends Header {
  readonly type: ContainerType
  /** Images in the file; all of them have the size of the whole picture when decoded. */
  readonly frames: number
  /** Whether any pixel can be transparent: an alpha channel, a tRNS chunk, a transparent GIF index. */
  readonly hasAlpha: boolean
  /** Nothing but the end marker is missing. */
  readonly lacksEnd: boolean
  /** Whether the strip keeps the frames of an animated PNG; for a GIF it always does. */
  readonly isAnimatedPng?: boolean
  /** Whether a JPEG has four inks and no profile for them. */
  readonly isPlainCmyk?: boolean
  /** The colours, if there is no profile and they are not sRGB. */
  readonly colourSpace?: ColourSpace | undefined
  /** In file order; what lies beyond the bounds below is not in it. */
  readonly metadata: readonly MetadataBlock[]
  /** What `strip` writes before the orientation, after it, and as the end marker. */
  readonly opening: readonly Piece[]
  readonly rest: readonly Piece[]
  readonly end: Uint8Array
}

/** Metadata is in few blocks; each takes time, however small it is. */
const maxBlocks = 64

export function damaged(detail: string): Refusal {
  return refuse('broken-image', { detail })
}

/** In the header, before a pixel is read (contract C15). */
export function refuseTooLarge(
  { width, height, channels, bytesPerSample }: Header,
  limits: ImageLimits,
): void {
  const { maxSide, maxPixels, maxDecodedBytes } = limits
  const isTooLarge =
    width > maxSide ||
    height > maxSide ||
    width * height > maxPixels ||
    width * height * channels * bytesPerSample > maxDecodedBytes
  if (isTooLarge) {
    const megabytes = Math.floor(maxDecodedBytes / 1_000_000)
    const megapixels = Math.floor(maxPixels / 1_000_000)
    throw refuse('image-dimensions-too-large', {
      detail: `The image has ${width} × ${height} pixels; the limits are ${maxSide} pixels per side, ${megapixels} megapixels and ${megabytes} MB decoded.`,
    })
  }
}

/** Refuses a picture as soon as the frames counted so far are too many, before anything decodes them. */
export function refuseTooManyFrames(header: Header, frames: number, limits: ImageLimits): void {
  const { maxFrames, maxDecodedBytes } = limits
  if (frames > maxFrames) {
    throw refuse('image-dimensions-too-large', {
      detail: `The animation has more than ${maxFrames} frames.`,
    })
  }
  if (header.width * header.height * header.channels * header.bytesPerSample * frames > maxDecodedBytes) {
    const megabytes = Math.floor(maxDecodedBytes / 1_000_000)
    throw refuse('image-dimensions-too-large', {
      detail: `The animation is larger than ${megabytes} MB when decoded.`,
    })
  }
}

export function byteAt(bytes: Uint8Array, at: number): number {
  const value = bytes[at]
  if (value === undefined) throw damaged('The file is truncated.')
  return value
}

export function readUint16(bytes: Uint8Array, at: number): number {
  return byteAt(bytes, at) * 256 + byteAt(bytes, at + 1)
}

export function readUint16LittleEndian(bytes: Uint8Array, at: number): number {
  return byteAt(bytes, at) + byteAt(bytes, at + 1) * 256
}

export function readUint32(bytes: Uint8Array, at: number): number {
  return readUint16(bytes, at) * 65_536 + readUint16(bytes, at + 2)
}

/** Adds a range, joined to the last one if they touch, so that a million chunks stay few ranges. */
export function keep(pieces: Piece[], from: number, to: number): void {
  const last = pieces.at(-1)
  if (last !== undefined && !(last instanceof Uint8Array) && last.to === from) {
    pieces[pieces.length - 1] = { from: last.from, to }
  } else {
    pieces.push({ from, to })
  }
}

/** Bytes that replace a range of the upload; none to leave it out. */
export interface Substitution extends Stretch {
  readonly bytes: Uint8Array | undefined
}

/** The ranges with `substitutions` applied; both are in file order. A substitution outside the ranges has no effect. */
export function substitute(pieces: readonly Piece[], substitutions: readonly Substitution[]): Piece[] {
  const result: Piece[] = []
  let next = 0
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) {
      result.push(piece)
      continue
    }
    let { from } = piece
    for (;;) {
      const one = substitutions[next]
      if (one === undefined || one.from >= piece.to) break
      next += 1
      if (one.from < from) continue
      if (one.from > from) keep(result, from, one.from)
      if (one.bytes !== undefined) result.push(one.bytes)
      from = one.to
    }
    if (from < piece.to) keep(result, from, piece.to)
  }
  return result
}

export const lengthOfPiece = (piece: Piece): number =>
  piece instanceof Uint8Array ? piece.length : piece.to - piece.from

export function joinPieces(bytes: Uint8Array, pieces: readonly Piece[]): Uint8Array {
  const joined = new Uint8Array(pieces.reduce((length, piece) => length + lengthOfPiece(piece), 0))
  let at = 0
  for (const piece of pieces) {
    // No view outlives its turn: a hostile file makes a million ranges, and that many views at once are 100 MB.
    joined.set(piece instanceof Uint8Array ? piece : bytes.subarray(piece.from, piece.to), at)
    at += lengthOfPiece(piece)
  }
  return joined
}

export interface MetadataCollector {
  readonly blocks: readonly MetadataBlock[]
  readonly add: (block: MetadataBlock | undefined) => void
  /** The inflated text, or undefined when it is broken, a bomb, or more than may still be read. */
  inflate(bytes: Uint8Array): Uint8Array | undefined
}

/** Collects metadata within the bounds: broken or endless metadata is left out, never a failure (C16). */
export function createMetadataCollector(limits: ImageLimits): MetadataCollector {
  const { maxMetadataBytes, maxInflatedBytes } = limits
  const blocks: MetadataBlock[] = []
  let remaining = maxMetadataBytes
  // Inflating has its own allowance, and a bomb costs the most a block may give: thousands of them stay cheap.
  let remainingInflated = maxMetadataBytes
  return {
    blocks,
    add(block) {
      // A truncated EXIF block still has its directories, which are at its start.
      const taken = block?.bytes.subarray(0, remaining)
      if (!block || !taken?.length || blocks.length === maxBlocks) return
      remaining -= taken.length
      blocks.push({ kind: block.kind, bytes: taken })
    },
    inflate(bytes) {
      if (remainingInflated < maxInflatedBytes) return undefined
      try {
        const inflated = inflateSync(bytes, { maxOutputLength: maxInflatedBytes })
        remainingInflated -= inflated.length
        return inflated
      } catch {
        remainingInflated -= maxInflatedBytes
        return undefined
      }
    },
  }
}

/** A big-endian TIFF with only the orientation tag: the only EXIF in served files. */
export function orientationTiff(orientation: number): Uint8Array {
  const tiff = new Uint8Array(26)
  tiff.set([0x4d, 0x4d, 0, 42, 0, 0, 0, 8])
  tiff.set([0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation], 8)
  return tiff
}
