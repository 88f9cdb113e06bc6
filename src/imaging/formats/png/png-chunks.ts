// The PNG chunk layer: reads chunks in order, writes them, and computes how many bytes an image has.
import { crc32 } from 'node:zlib'
import { latin1 } from '../../../shared/formats/bytes.ts'
import { imageFormats, pngSignature } from '../../../shared/formats/image-formats.ts'
import { byteAt, damaged, readUint32 } from '../../container-parts.ts'
import type { Header } from '../../container-parts.ts'

export interface Chunk {
  readonly type: string
  /** The whole chunk is `from` to `to`, its data `body` to `bodyEnd`. */
  readonly from: number
  readonly body: number
  readonly bodyEnd: number
  readonly to: number
}

export interface PngHeader extends Header {
  readonly bitDepth: number
  readonly colourType: number
  readonly isInterlaced: boolean
  /** Where the chunk after IHDR starts. */
  readonly to: number
}

const headerBytes = 13

/** Samples per pixel as stored, channels as decoded, and the bit depths allowed for the colour type. */
const colourTypes: ReadonlyMap<number, { samples: number; channels: number; depths: readonly number[] }> =
  new Map([
    [0, { samples: 1, channels: 1, depths: [1, 2, 4, 8, 16] }],
    [2, { samples: 3, channels: 3, depths: [8, 16] }],
    [3, { samples: 1, channels: 3, depths: [1, 2, 4, 8] }],
    [4, { samples: 2, channels: 2, depths: [8, 16] }],
    [6, { samples: 4, channels: 4, depths: [8, 16] }],
  ])

export const palette = 3
/** Colour types with an alpha channel of their own. */
export const alphaTypes: ReadonlySet<number> = new Set([4, 6])

/** First column, first row, and the steps, for the seven passes of Adam7. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

/** Without a view or a regular expression, since a hostile file may have 700,000 chunks. */
function readType(bytes: Uint8Array, at: number): string {
  const letter = (index: number): number => {
    const code = byteAt(bytes, at + index)
    const isLetter = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
    if (!isLetter) throw damaged('The PNG has an invalid chunk.')
    return code
  }
  return String.fromCharCode(letter(0), letter(1), letter(2), letter(3))
}

/** The chunk at `at`, without checking its checksum; throws if the file ends within it. */
export function readChunk(bytes: Uint8Array, at: number): Chunk {
  const body = at + 8
  const bodyEnd = body + readUint32(bytes, at)
  if (bodyEnd + 4 > bytes.length) throw damaged('The PNG is truncated within a chunk.')
  return { type: readType(bytes, at + 4), from: at, body, bodyEnd, to: bodyEnd + 4 }
}

export function refuseWrongChecksum(bytes: Uint8Array, chunk: Chunk): void {
  if (crc32(bytes.subarray(chunk.from + 4, chunk.bodyEnd)) !== readUint32(bytes, chunk.bodyEnd)) {
    throw damaged('A chunk of the PNG has an incorrect checksum.')
  }
}

export function writeChunk(type: string, data: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(12 + data.length)
  const view = new DataView(chunk.buffer)
  view.setUint32(0, data.length)
  chunk.set(latin1(type), 4)
  chunk.set(data, 8)
  view.setUint32(8 + data.length, crc32(chunk.subarray(4, 8 + data.length)))
  return chunk
}

export function readIhdr(bytes: Uint8Array): PngHeader {
  const chunk = imageFormats.png.isIn(bytes) ? readChunk(bytes, pngSignature.length) : undefined
  if (chunk === undefined || chunk.type !== 'IHDR' || chunk.bodyEnd - chunk.body !== headerBytes) {
    throw damaged('The PNG has no header.')
  }
  refuseWrongChecksum(bytes, chunk)
  const { body, to } = chunk
  const width = readUint32(bytes, body)
  const height = readUint32(bytes, body + 4)
  const bitDepth = byteAt(bytes, body + 8)
  const colourType = byteAt(bytes, body + 9)
  const interlacing = byteAt(bytes, body + 12)
  const kind = colourTypes.get(colourType)
  if (width === 0 || height === 0) throw damaged('The PNG has a width or height of 0.')
  if (kind === undefined || !kind.depths.includes(bitDepth)) {
    throw damaged('The PNG has an invalid colour type or bit depth.')
  }
  if (byteAt(bytes, body + 10) !== 0 || byteAt(bytes, body + 11) !== 0 || interlacing > 1) {
    throw damaged('The PNG has an invalid compression, filter or interlace method.')
  }
  const bytesPerSample = bitDepth === 16 ? 2 : 1
  const isInterlaced = interlacing === 1
  return { width, height, channels: kind.channels, bytesPerSample, bitDepth, colourType, isInterlaced, to }
}

/** Rows of equal length: those of a picture, or of one pass of an interlaced picture. */
export interface RowRun {
  readonly rows: number
  /** Bytes per row, including its filter byte. */
  readonly rowBytes: number
  /** Unused bits in the last byte of a row. */
  readonly spareBits: number
}

/** The rows of an image of this size after inflating, in order. */
export function listRows(header: PngHeader, width: number, height: number): RowRun[] {
  const bitsPerPixel = (colourTypes.get(header.colourType)?.samples ?? 0) * header.bitDepth
  const runs = header.isInterlaced ? passes : ([[0, 0, 1, 1]] as const)
  return runs.flatMap(([left, top, stepX, stepY]) => {
    const columns = Math.max(0, Math.ceil((width - left) / stepX))
    const rows = Math.max(0, Math.ceil((height - top) / stepY))
    const packed = Math.ceil((columns * bitsPerPixel) / 8)
    if (columns === 0 || rows === 0) return []
    return [{ rows, rowBytes: 1 + packed, spareBits: packed * 8 - columns * bitsPerPixel }]
  })
}
