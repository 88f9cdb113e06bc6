// Walks a WebP (RFC 9649) to its end, and writes a file with only its first picture.
import { rgbProfile } from '../icc/icc-profile.ts'
import {
  byteAt,
  createMetadataCollector,
  damaged,
  joinPieces,
  orientationTiff,
  readUint16LittleEndian,
  type Header,
} from '../../container-parts.ts'
import { truncated, type WalkedPicture } from '../../converted.ts'
import type { ImageLimits } from '../../image-limits.ts'
import { latin1 } from '../../../shared/formats/bytes.ts'
import { orientationFrom } from '../../../shared/formats/gps.ts'
import { exifBlock } from '../../../shared/formats/metadata-block.ts'

interface Chunk {
  readonly type: string
  readonly body: number
  readonly bodyEnd: number
}

const riffHeaderBytes = 12
const chunkHeaderBytes = 8
/** Header of an animation frame, before its own chunks. */
const frameHeaderBytes = 16
/** A file has a few, an animation a few hundred; each takes time to read. */
const maxChunks = 10_000

const profileFlag = 0x20
const alphaFlag = 0x10
const exifFlag = 0x08
const animationFlag = 0x02

const readUint24 = (bytes: Uint8Array, at: number): number =>
  readUint16LittleEndian(bytes, at) + byteAt(bytes, at + 2) * 65_536

const readUint32LittleEndian = (bytes: Uint8Array, at: number): number =>
  readUint24(bytes, at) + byteAt(bytes, at + 3) * 16_777_216

/** Up to the first incomplete one, for which the file is refused. */
function readChunks(bytes: Uint8Array, from: number, to: number): Chunk[] {
  const chunks: Chunk[] = []
  for (let at = from; at + chunkHeaderBytes <= to;) {
    if (chunks.length === maxChunks) throw damaged('The WebP has more than 10,000 chunks.')
    const body = at + chunkHeaderBytes
    const bodyEnd = body + readUint32LittleEndian(bytes, at + 4)
    if (bodyEnd > to) truncated('a chunk')
    chunks.push({ type: String.fromCharCode(...bytes.subarray(at, at + 4)), body, bodyEnd })
    at = bodyEnd + ((bodyEnd - body) % 2)
  }
  return chunks
}

interface Coded {
  readonly chunk: Chunk
  readonly width: number
  readonly height: number
  readonly hasAlpha: boolean
}

/** The dimensions in the coded picture itself, which decoders use. */
function readCoded(bytes: Uint8Array, chunk: Chunk): Coded | undefined {
  const { type, body, bodyEnd } = chunk
  if (type === 'VP8 ') {
    const isKey = bodyEnd - body >= 10 && (byteAt(bytes, body) & 1) === 0
    if (!isKey || readUint24(bytes, body + 3) !== 0x2a019d) throw damaged('The WebP has no key frame.')
    const side = (at: number): number => readUint16LittleEndian(bytes, body + at) & 0x3fff
    // The first partition, without which nothing can be decoded, must be within the chunk.
    if (readUint24(bytes, body) >>> 5 > bodyEnd - body - 10) truncated('its pixel data')
    return { chunk, width: side(6), height: side(8), hasAlpha: false }
  }
  if (type !== 'VP8L') return undefined
  if (bodyEnd - body < 5 || byteAt(bytes, body) !== 0x2f) throw damaged('The WebP has no picture header.')
  const bits = readUint32LittleEndian(bytes, body + 1)
  const hasAlpha = ((bits >>> 28) & 1) === 1
  return { chunk, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, hasAlpha }
}

function findCoded(bytes: Uint8Array, chunks: readonly Chunk[]): Coded {
  for (const chunk of chunks) {
    const coded = readCoded(bytes, chunk)
    if (coded?.width === 0 || coded?.height === 0) throw damaged('The WebP has a width or height of 0.')
    if (coded) return coded
  }
  throw damaged('The WebP has no picture.')
}

/** The end of its RIFF structure; data after it is ignored. */
function endOf(bytes: Uint8Array): number {
  const end = chunkHeaderBytes + readUint32LittleEndian(bytes, 4)
  return end > bytes.length ? truncated('its chunks') : end
}

interface Extended {
  readonly canvas: { readonly width: number; readonly height: number } | undefined
  readonly isAnimated: boolean
}

function readExtended(bytes: Uint8Array, first: Chunk | undefined): Extended {
  if (first?.type !== 'VP8X') return { canvas: undefined, isAnimated: false }
  if (first.bodyEnd - first.body < 10) truncated('its header')
  const canvas = {
    width: readUint24(bytes, first.body + 4) + 1,
    height: readUint24(bytes, first.body + 7) + 1,
  }
  return { canvas, isAnimated: (byteAt(bytes, first.body) & animationFlag) !== 0 }
}

function writeChunk(type: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const header = new Uint8Array(chunkHeaderBytes)
  header.set(latin1(type))
  new DataView(header.buffer).setUint32(4, length, true)
  return joinPieces(new Uint8Array(), [header, ...parts, new Uint8Array(length % 2)])
}

function writeExtended(flags: number, { width, height }: { width: number; height: number }): Uint8Array {
  const body = new Uint8Array(10)
  const view = new DataView(body.buffer)
  view.setUint32(4, width - 1, true)
  body[0] = flags
  view.setUint16(7, (height - 1) & 0xffff, true)
  body[9] = (height - 1) >>> 16
  return writeChunk('VP8X', body)
}

/** Only from the header, before anything else is read. */
export function readWebpHeader(bytes: Uint8Array): Header {
  const chunk = { type: String.fromCharCode(...bytes.subarray(12, 16)), body: 20, bodyEnd: bytes.length }
  const { canvas } = readExtended(bytes, chunk)
  const coded = canvas ? undefined : findCoded(bytes, [chunk])
  return {
    width: canvas?.width ?? coded?.width ?? 0,
    height: canvas?.height ?? coded?.height ?? 0,
    channels: 4,
    bytesPerSample: 1,
  }
}

/** @throws refusal `broken-image`. */
export function walkWebp(bytes: Uint8Array, limits: ImageLimits): WalkedPicture {
  const chunks = readChunks(bytes, riffHeaderBytes, endOf(bytes))
  const metadata = createMetadataCollector(limits)
  const slice = ({ body, bodyEnd }: Chunk): Uint8Array => bytes.subarray(body, bodyEnd)
  for (const chunk of chunks) {
    if (chunk.type === 'EXIF') metadata.add(exifBlock(slice(chunk)))
    if (chunk.type === 'XMP ') metadata.add({ kind: 'xmp', bytes: slice(chunk) })
  }
  const { canvas, isAnimated } = readExtended(bytes, chunks[0])
  const frame = isAnimated ? chunks.find(({ type }) => type === 'ANMF') : undefined
  if (isAnimated && frame === undefined) throw damaged('The WebP has no picture.')
  if (frame && frame.bodyEnd - frame.body < frameHeaderBytes) truncated('a frame')
  const inPicture = frame ? readChunks(bytes, frame.body + frameHeaderBytes, frame.bodyEnd) : chunks
  const coded = findCoded(bytes, inPicture)
  // Separate transparency, which only the older coding has; it comes before the colours.
  const alpha = coded.chunk.type === 'VP8 ' ? inPicture.find(({ type }) => type === 'ALPH') : undefined
  const isWithAlpha = canvas !== undefined && alpha !== undefined && alpha.body < coded.chunk.body
  const size = canvas ?? coded
  const isWhole = size.width === coded.width && size.height === coded.height
  if (!frame && !isWhole) throw damaged('The WebP states two sizes.')
  if (frame) checkFrame(bytes, frame, coded, size)
  const hasAlpha = coded.hasAlpha || isWithAlpha || !isWhole
  const icc = chunks.find(({ type }) => type === 'ICCP')
  const profile = icc && canvas && rgbProfile(slice(icc))
  const orientation = orientationFrom(metadata.blocks)
  const picture = [
    ...(isWithAlpha ? [writeChunk('ALPH', slice(alpha))] : []),
    writeChunk(coded.chunk.type, slice(coded.chunk)),
  ]
  const flags =
    (profile ? profileFlag : 0) |
    (hasAlpha ? alphaFlag : 0) |
    (orientation > 1 ? exifFlag : 0) |
    (frame ? animationFlag : 0)
  const parts = [
    latin1('WEBP'),
    writeExtended(flags, size),
    ...(profile ? [writeChunk('ICCP', profile)] : []),
    // A transparent background, shown once.
    ...(frame ? [writeChunk('ANIM', new Uint8Array([0, 0, 0, 0, 1, 0]))] : []),
    ...(frame
      ? [writeChunk('ANMF', bytes.subarray(frame.body, frame.body + frameHeaderBytes), ...picture)]
      : picture),
    ...(orientation > 1 ? [writeChunk('EXIF', orientationTiff(orientation))] : []),
  ]
  const isSideways = orientation >= 5
  return {
    format: 'webp',
    width: isSideways ? size.height : size.width,
    height: isSideways ? size.width : size.height,
    channels: hasAlpha ? 4 : 3,
    bytesPerSample: 1,
    hasAlpha,
    profile,
    metadata: metadata.blocks,
    file: writeChunk('RIFF', ...parts),
  }
}

function checkFrame(
  bytes: Uint8Array,
  { body }: Chunk,
  coded: Coded,
  canvas: { readonly width: number; readonly height: number },
): void {
  const [left, top] = [2 * readUint24(bytes, body), 2 * readUint24(bytes, body + 3)]
  const [width, height] = [readUint24(bytes, body + 6) + 1, readUint24(bytes, body + 9) + 1]
  const isSame = width === coded.width && height === coded.height
  if (!isSame || left + width > canvas.width || top + height > canvas.height)
    throw damaged('The first frame of the WebP is not within its canvas.')
}
