// Builds intact and damaged JPEG, PNG and GIF files piece by piece, for the tests of the container walks.
import assert from 'node:assert/strict'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import type { Sharp } from 'sharp'
import { Refusal } from '../../src/errors.ts'
import { strip } from '../../src/imaging/containers.ts'
import type { Container, ContainerType } from '../../src/imaging/containers.ts'
import { walk } from './imaging.ts'

/** Numbers from 0 (inclusive) to 1 (exclusive), the same in every run. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A picture with gradients and some noise, so that no two rows are alike. */
export function makePicture(width: number, height: number, channels: 1 | 3 | 4 = 3): Sharp {
  const random = createRandom(width * height)
  const samples = Uint8Array.from({ length: width * height * channels }, (_, index) => {
    const pixel = Math.floor(index / channels)
    return ((pixel % width) * 5 + Math.floor(pixel / width) * 3 + random() * 40) % 256
  })
  return sharp(samples, { raw: { width, height, channels } })
}

/** All samples of all frames, decoded as strictly as for an upload. */
export async function decodeSamples(bytes: Uint8Array): Promise<Buffer> {
  return sharp(bytes, { failOn: 'error', pages: -1 }).raw().toBuffer()
}

export function jpegSegment(marker: number, payload: Uint8Array | string = ''): Buffer {
  const body = Buffer.from(payload as string)
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([head, body])
}

/** Position of the first such marker. */
export function findMarker(jpeg: Uint8Array, marker: number): number {
  const at = Buffer.from(jpeg).indexOf(Buffer.of(0xff, marker))
  assert.notEqual(at, -1)
  return at
}

export function insertAt(bytes: Uint8Array, at: number, ...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat([bytes.subarray(0, at), ...parts, bytes.subarray(at)])
}

export function replaceAt(bytes: Uint8Array, at: number, ...values: readonly number[]): Buffer {
  const changed = Buffer.from(bytes)
  changed.set(values, at)
  return changed
}

export function pngChunk(type: string, data: Uint8Array | string = ''): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), Buffer.from(data as string)])
  const chunk = Buffer.alloc(named.length + 8)
  chunk.writeUInt32BE(named.length - 4, 0)
  chunk.set(named, 4)
  chunk.writeUInt32BE(crc32(named), named.length + 4)
  return chunk
}

export interface PngShape {
  readonly width?: number
  readonly height?: number
  readonly bitDepth?: number
  readonly colourType?: number
  readonly interlacing?: number
}

export function ihdrChunk(shape: PngShape = {}): Buffer {
  const { width = 4, height = 4, bitDepth = 8, colourType = 0, interlacing = 0 } = shape
  return pngChunk('IHDR', words([width, height], [bitDepth, colourType, 0, 0, interlacing]))
}

/** 32-bit numbers, followed by single bytes. */
export function words(numbers: readonly number[], bytes: readonly number[] = []): Buffer {
  const data = Buffer.alloc(4 * numbers.length + bytes.length)
  for (const [index, value] of numbers.entries()) data.writeUInt32BE(value, 4 * index)
  data.set(bytes, 4 * numbers.length)
  return data
}

export const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** A PNG: signature, these chunks, and IEND. */
export function makePng(...chunks: readonly Uint8Array[]): Buffer {
  return Buffer.concat([pngSignature, ...chunks, pngChunk('IEND')])
}

/** Compressed rows of an 8-bit grey image. */
export function greyRows(width: number, height: number, shade = 100): Buffer {
  const row = Buffer.alloc(width + 1, shade)
  row[0] = 0
  return deflateSync(Buffer.concat(Array<Buffer>(height).fill(row)))
}

/** A 4 by 4 grey PNG with additional chunks before and after its image data. */
export function makeGreyPng(before: readonly Uint8Array[] = [], after: readonly Uint8Array[] = []): Buffer {
  return makePng(ihdrChunk(), ...before, pngChunk('IDAT', greyRows(4, 4)), ...after)
}

/** The types of the chunks, in order. */
export function chunkTypes(png: Uint8Array): string[] {
  const buffer = Buffer.from(png)
  const types: string[] = []
  for (let at = pngSignature.length; at < buffer.length; at += 12 + buffer.readUInt32BE(at)) {
    types.push(buffer.toString('latin1', at + 4, at + 8))
  }
  return types
}

export interface GifFrame {
  readonly left?: number
  readonly top?: number
  readonly width?: number
  readonly height?: number
  readonly transparent?: boolean
  readonly delay?: number
  /** Number of encoded pixels, if it differs from that of the frame. */
  readonly pixels?: number
  /** Data used instead of literal codes for each pixel; `literalBits` is its code size. */
  readonly data?: Uint8Array
  readonly literalBits?: number
}

export function gifFrame(frame: GifFrame = {}): Buffer {
  const { left = 0, top = 0, width = 4, height = 4, transparent, delay, literalBits = 2 } = frame
  const data = frame.data ?? encodeLiterals(frame.pixels ?? width * height)
  const control = Buffer.from([0x21, 0xf9, 4, transparent === true ? 1 : 0, delay ?? 0, 0, 0, 0])
  const descriptor = Buffer.from([0x2c, 0, 0, 0, 0, 0, 0, 0, 0, 0, literalBits])
  for (const [index, value] of [left, top, width, height].entries())
    descriptor.writeUInt16LE(value, 1 + 2 * index)
  const hasControl = transparent !== undefined || delay !== undefined
  return Buffer.concat([...(hasControl ? [control] : []), descriptor, subBlocks(data)])
}

export function subBlocks(data: Uint8Array): Buffer {
  const blocks: Uint8Array[] = []
  for (let at = 0; at < data.length; at += 255) {
    const block = data.subarray(at, at + 255)
    blocks.push(Uint8Array.of(block.length), block)
  }
  return Buffer.concat([...blocks, Uint8Array.of(0)])
}

/** Three-bit codes. A clear code before each pixel stops them from growing. */
function encodeLiterals(pixels: number): Buffer {
  const codes: number[] = []
  for (let pixel = 0; pixel < pixels; pixel += 1) codes.push(4, pixel % 2)
  return packCodes([...codes, 5], 3)
}

/** Packs codes of one width, lowest bit first, as LZW does. */
export function packCodes(codes: readonly number[], width: number): Buffer {
  return packBits(codes.map((code) => [code, width] as const))
}

/** Packs numbers of the given bit widths, lowest bit first. */
export function packBits(numbers: readonly (readonly [value: number, bits: number])[]): Buffer {
  const packed = Buffer.alloc(Math.ceil(numbers.reduce((sum, [, bits]) => sum + bits, 0) / 8))
  let at = 0
  for (const [value, bits] of numbers) {
    for (let bit = 0; bit < bits; bit += 1) {
      packed[at >> 3] = (packed[at >> 3] ?? 0) | (((value >> bit) & 1) << (at & 7))
      at += 1
    }
  }
  return packed
}

export function gifExtension(label: number, ...blocks: readonly Uint8Array[]): Buffer {
  const sized = blocks.flatMap((block) => [Uint8Array.of(block.length), block])
  return Buffer.concat([Uint8Array.of(0x21, label), ...sized, Uint8Array.of(0)])
}

export function gifApplication(name: string, data: Uint8Array): Buffer {
  return Buffer.concat([Uint8Array.of(0x21, 0xff, 11), Buffer.from(name, 'latin1'), data])
}

/** The trailer of an XMP packet in a GIF: 01, FF down to 00, and the terminator. */
export const xmpTrailer = Buffer.from([1, ...Array.from({ length: 256 }, (_, index) => 255 - index), 0])

/** A GIF: header with a black and white colour table, these blocks, and the trailer. */
export function makeGif(blocks: readonly Uint8Array[], width = 4, height = 4): Buffer {
  const header = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1')
  header.writeUInt16LE(width, 6)
  header.writeUInt16LE(height, 8)
  return Buffer.concat([header, ...blocks, Uint8Array.of(0x3b)])
}

/** The code of the refusal, or `whole`. Any other error fails the test, and so does a stripped file that is not intact. */
export function judge(bytes: Uint8Array, type: ContainerType): string {
  let container: Container
  try {
    container = walk(bytes, type)
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error))
    assert.match(error.detail ?? '', /^[A-Z].*\.$/)
    return error.code
  }
  const stripped = strip(bytes, container, 1)
  const again = walk(stripped, type)
  assert.equal(again.lacksEnd, false)
  assert.deepEqual(again.metadata, [])
  assert.deepEqual(Buffer.from(strip(stripped, again, 1)), Buffer.from(stripped))
  return 'whole'
}

export function assertRefused(bytes: Uint8Array, type: ContainerType, detail: RegExp): void {
  assert.throws(
    () => walk(bytes, type),
    (error) => error instanceof Refusal && error.code === 'broken-image' && detail.test(error.detail ?? ''),
  )
}

/** Yields the file with a few random bytes changed, `times` times. */
export function* flipBytes(bytes: Uint8Array, times: number, seed: number): Generator<Buffer> {
  const random = createRandom(seed)
  for (let time = 0; time < times; time += 1) {
    const changed = Buffer.from(bytes)
    const count = 1 + Math.floor(random() * 3)
    for (let flip = 0; flip < count; flip += 1) {
      const at = Math.floor(random() * changed.length)
      changed[at] = (changed[at] ?? 0) ^ (1 + Math.floor(random() * 255))
    }
    yield changed
  }
}

/** A Huffman table in which code 0 means `symbol`, and there is no other code. */
export function oneCode(name: number, symbol: number): Buffer {
  return Buffer.from([name, 1, ...Array<number>(15).fill(0), symbol])
}

export interface TinyScan {
  readonly ids: readonly number[]
  readonly band?: readonly [first: number, last: number, bits: number]
  /** Number of blocks of a sequential scan. In a progressive scan, each takes one bit. */
  readonly blocks?: number
}

/** A scan of unchanged blocks: each has one code for the DC coefficient and one for the rest. */
export function tinyScan({ ids, band = [0, 63, 0], blocks = ids.length }: TinyScan): Buffer {
  const isWhole = band[0] === 0 && band[1] === 63
  const bits = isWhole ? 2 * blocks : blocks
  const data = Buffer.alloc(Math.ceil(bits / 8))
  data[data.length - 1] = (1 << (8 * data.length - bits)) - 1
  const header = Buffer.from([ids.length, ...ids.flatMap((id) => [id, 0]), ...band])
  return Buffer.concat([jpegSegment(0xda, header), data])
}

/** A JPEG of 8 by 8 pixels with the tables for `tinyScan` and these scans, without an end marker. */
export function tinyJpeg(process: number, ids: readonly number[], scans: readonly Uint8Array[]): Buffer {
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    jpegSegment(0xdb, Buffer.alloc(65, 1).fill(0, 0, 1)),
    jpegSegment(process, Buffer.from([8, 0, 8, 0, 8, ids.length, ...ids.flatMap((id) => [id, 0x11, 0])])),
    jpegSegment(0xc4, Buffer.concat([oneCode(0x00, 0), oneCode(0x10, 0)])),
    ...scans,
  ])
}
