// Files that claim or decompress to far more than they contain.
import { deflateSync } from 'node:zlib'
import { makeBmp } from '../helpers/bmp-builder.ts'
import {
  gifFrame,
  greyRows,
  ihdrChunk,
  jpegSegment,
  makeGif,
  makePng,
  pngChunk,
  words,
} from '../helpers/containers-fixtures.ts'

export interface Bomb {
  readonly name: string
  readonly bytes: Buffer
}

const rows = pngChunk('IDAT', greyRows(4, 4))

/** A PNG whose header claims this size; what follows is a picture of 4 by 4. */
export function pngOf(width: number, height: number, colourType = 0, bitDepth = 8): Buffer {
  return makePng(ihdrChunk({ width, height, colourType, bitDepth }), rows)
}

const bigEndian16 = (value: number): number[] => [value >> 8, value & 0xff]

/** The head of a JPEG that claims this size, up to its first scan, without picture data. */
export function jpegOf(width: number, height: number, components = 3): Buffer {
  const each = Array.from({ length: components }, (_, index) => [index + 1, 0x11, 0])
  const frame = [8, ...bigEndian16(height), ...bigEndian16(width), components, ...each.flat()]
  const scan = [components, ...each.flatMap(([id = 0]) => [id, 0]), 0, 63, 0]
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    jpegSegment(0xdb, Uint8Array.from([0, ...Array<number>(64).fill(1)])),
    jpegSegment(0xc0, Uint8Array.from(frame)),
    jpegSegment(0xda, Uint8Array.from(scan)),
    Buffer.of(0, 0xff, 0xd9),
  ])
}

export function bmpOf(width: number, height: number, bits = 24, compression = 0): Buffer {
  const palette = bits <= 8 ? [0, 0xffffff] : []
  return Buffer.from(
    makeBmp({
      headerBytes: 40,
      width,
      height,
      bits,
      compression,
      palette,
      pixels: Uint8Array.of(0, 1, 0, 0),
    }),
  )
}

const dot = gifFrame({ width: 1, height: 1 })

/** Refused for their size in the header, or for the frames counted so far. */
export const headerBombs: readonly Bomb[] = [
  { name: 'a PNG that is too wide', bytes: pngOf(16_385, 1) },
  { name: 'a PNG that is too tall', bytes: pngOf(1, 16_385) },
  { name: 'a PNG of the greatest sides there are', bytes: pngOf(0xffff_ffff, 0xffff_ffff) },
  { name: 'a PNG of too many pixels', bytes: pngOf(10_001, 10_000) },
  { name: 'a PNG of too many bytes', bytes: pngOf(8_000, 8_000, 6, 16) },
  {
    name: 'a PNG of too many frames',
    bytes: makePng(ihdrChunk(), pngChunk('acTL', words([1_001, 0])), rows),
  },
  {
    name: 'a PNG whose frames are too many bytes',
    bytes: makePng(ihdrChunk({ width: 4_000, height: 4_000 }), pngChunk('acTL', words([26, 0])), rows),
  },
  { name: 'a JPEG that is too wide', bytes: jpegOf(16_385, 1) },
  { name: 'a JPEG that is too tall', bytes: jpegOf(1, 16_385) },
  { name: 'a JPEG of the greatest sides there are', bytes: jpegOf(65_535, 65_535) },
  { name: 'a JPEG of too many pixels', bytes: jpegOf(10_001, 10_000, 1) },
  { name: 'a GIF that is too wide', bytes: makeGif([dot], 16_385, 1) },
  { name: 'a GIF that is too tall', bytes: makeGif([dot], 1, 16_385) },
  { name: 'a GIF of too many pixels', bytes: makeGif([dot], 10_001, 10_000) },
  {
    name: 'a GIF whose first frame is too wide',
    bytes: makeGif([gifFrame({ left: 16_380, width: 8, height: 1 })], 4, 4),
  },
  { name: 'a GIF of too many frames', bytes: makeGif(Array<Buffer>(1_001).fill(dot), 1, 1) },
  {
    name: 'a GIF whose frames are too many bytes',
    bytes: makeGif(Array<Buffer>(34).fill(dot), 2_000, 2_000),
  },
  { name: 'a BMP that is too wide', bytes: bmpOf(16_385, 1) },
  { name: 'a BMP that is too tall', bytes: bmpOf(1, 16_385) },
  { name: 'a BMP that is too tall, top row first', bytes: bmpOf(1, -16_385) },
  { name: 'a BMP of the greatest sides there are', bytes: bmpOf(0x7fff_ffff, 0x7fff_ffff) },
  { name: 'a BMP of too many pixels', bytes: bmpOf(10_001, 10_000) },
  { name: 'a run-length BMP of too many pixels', bytes: bmpOf(10_001, 10_000, 8, 1) },
]

/** The scans of a progressive JPEG for one coefficient and one bit each: no other order of them has as many. */
const bitwise = Array.from({ length: 14 }, (_, step) => 13 - step).flatMap((low) =>
  Array.from({ length: 63 }, (_, index) => ({ coefficient: index + 1, high: low === 13 ? 0 : low + 1, low })),
)

/**
 * A progressive JPEG of `side` × `side` with tiny scans that change nothing: each costs the decoder a pass over the whole
 * picture. With 10,000 pixels and 100 scans it takes seconds to decode and has 210 kB.
 * @param scans at most 883.
 */
export function scanBomb(side: number, scans: number): Buffer {
  const blocks = Math.ceil(side / 8) ** 2
  const huffman = (kind: number, symbol: number): Buffer =>
    jpegSegment(0xc4, Uint8Array.from([kind, 1, ...Array<number>(15).fill(0), symbol]))
  const scan = (coefficient: number, high: number, low: number): Buffer =>
    jpegSegment(0xda, Uint8Array.of(1, 1, 0, coefficient, coefficient, (high << 4) + low))
  const nothing = endOfBandRuns(blocks)
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    jpegSegment(0xdb, Uint8Array.from([0, ...Array<number>(64).fill(1)])),
    jpegSegment(0xc2, Uint8Array.from([8, ...bigEndian16(side), ...bigEndian16(side), 1, 1, 0x11, 0])),
    huffman(0x00, 0),
    huffman(0x10, 0xe0),
    scan(0, 0, 0),
    Buffer.alloc(Math.ceil(blocks / 8)),
    ...bitwise
      .slice(0, scans - 1)
      .flatMap(({ coefficient, high, low }) => [scan(coefficient, high, low), nothing]),
    Buffer.of(0xff, 0xd9),
  ])
}

/** Codes of one bit and fourteen more, each of which says that the next 16,384 to 32,767 blocks are empty. */
function endOfBandRuns(blocks: number): Buffer {
  let bits = ''
  for (let left = blocks; left > 0; left -= 32_767) {
    const more = Math.max(0, Math.min(left, 32_767) - 16_384)
    bits += `0${more.toString(2).padStart(14, '0')}`
  }
  const bytes = bits.match(/.{1,8}/g) ?? []
  return Buffer.from(
    bytes.flatMap((byte) => {
      const value = Number.parseInt(byte.padEnd(8, '1'), 2)
      return value === 0xff ? [0xff, 0] : [value]
    }),
  )
}

/** Compressed zeros, a thousandth of their length. */
export const zeros = (length: number): Buffer => deflateSync(Buffer.alloc(length))
