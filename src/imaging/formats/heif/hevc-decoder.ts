// Decodes a HEIC with libheif in WebAssembly, isolated in its own memory; only files written by heif-writer.ts.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The part of libheif's C interface that is used; an error is a struct for which the caller provides memory. */
interface Libheif {
  /** Its whole memory; replaced after each growth. */
  readonly HEAPU8: Uint8Array
  _malloc(bytes: number): number
  _heif_context_alloc(): number
  _heif_context_get_security_limits(context: number): number
  _heif_context_read_from_memory(error: number, context: number, at: number, bytes: number, none: 0): void
  _heif_context_get_primary_image_handle(error: number, context: number, into: number): void
  _heif_decoding_options_alloc(): number
  _heif_decode_image(
    error: number,
    handle: number,
    into: number,
    colours: number,
    layout: number,
    options: number,
  ): void
  _heif_image_get_plane_readonly2(image: number, channel: number, strideInto: number): number
  _heif_image_get_width(image: number, channel: number): number
  _heif_image_get_height(image: number, channel: number): number
  _heif_image_get_bits_per_pixel_range(image: number, channel: number): number
}

type Start = (options: {
  readonly wasmBinary: Uint8Array
  readonly print: () => void
  readonly printErr: () => void
}) => Libheif

const inRgb = 1
const interleaved = 10
const layouts = { 8: { 3: 10, 4: 11 }, 16: { 3: 14, 4: 15 } } as const
/** Offsets in struct heif_security_limits, 64 bits each, from version 2 on. */
const limitsVersion = 2
const maxPixelsAt = 8
const maxTotalBytesAt = 64
/**
 * Limit for all of its allocations: 100 megapixels need half of it. The memory itself could not be larger than twice
 * this.
 */
const maxTotalBytes = 1_000_000_000
/** In struct heif_decoding_options: damage is an error, not a warning. */
const strictAt = 21

export interface HeicPixels {
  /** Samples in the file's bit depth, scaled to 16 bits; 8 bits unless more are requested. */
  readonly samples: Buffer | Uint16Array
  readonly width: number
  readonly height: number
  readonly channels: 3 | 4
}

interface Wanted {
  readonly channels: 3 | 4
  readonly bits: 8 | 16
  readonly maxPixels: number
}

/** A separate memory for each file, so that growth or corruption disappears with it. */
function start(): Libheif {
  const require = createRequire(import.meta.url)
  const folder = 'libheif-js/libheif-wasm'
  const startLibrary = require(`${folder}/libheif.js`) as Start
  const silent = (): void => {}
  const wasmBinary = readFileSync(require.resolve(`${folder}/libheif.wasm`))
  return startLibrary({ wasmBinary, print: silent, printErr: silent })
}

function spread(bytes: Buffer, bits: number): Uint16Array {
  const max = 2 ** bits - 1
  const samples = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)
  return samples.map((sample) => Math.round((Math.min(sample, max) * 65_535) / max))
}

/**
 * With the rotation of the file applied.
 * @throws if it cannot be decoded completely.
 */
export function decodeHeic(file: Uint8Array, { channels, bits, maxPixels }: Wanted): HeicPixels {
  const heif = start()
  const scratch = heif._malloc(32)
  const [error, into] = [scratch, scratch + 16]
  const view = (): DataView => new DataView(heif.HEAPU8.buffer)
  const check = (what: string): void => {
    const code = view().getInt32(error, true)
    if (code !== 0)
      throw new Error(`libheif could not ${what}: error ${code}, ${view().getInt32(error + 4, true)}`)
  }
  const context = heif._heif_context_alloc()
  const limits = heif._heif_context_get_security_limits(context)
  if (view().getUint8(limits) < limitsVersion) throw new Error('this libheif has other limits')
  view().setBigUint64(limits + maxPixelsAt, BigInt(maxPixels), true)
  view().setBigUint64(limits + maxTotalBytesAt, BigInt(maxTotalBytes), true)
  const fileAt = heif._malloc(file.length)
  heif.HEAPU8.set(file, fileAt)
  heif._heif_context_read_from_memory(error, context, fileAt, file.length, 0)
  check('read it')
  heif._heif_context_get_primary_image_handle(error, context, into)
  check('find its picture')
  const handle = view().getUint32(into, true)
  const options = heif._heif_decoding_options_alloc()
  heif.HEAPU8[options + strictAt] = 1
  heif._heif_decode_image(error, handle, into, inRgb, layouts[bits][channels], options)
  check('decode it')
  const image = view().getUint32(into, true)
  const plane = heif._heif_image_get_plane_readonly2(image, interleaved, into)
  const stride = view().getUint32(into, true)
  const width = heif._heif_image_get_width(image, interleaved)
  const height = heif._heif_image_get_height(image, interleaved)
  const rowBytes = (width * channels * bits) / 8
  const rows = Buffer.allocUnsafeSlow(rowBytes * height)
  for (let row = 0; row < height; row += 1)
    rows.set(heif.HEAPU8.subarray(plane + row * stride, plane + row * stride + rowBytes), row * rowBytes)
  const depth = heif._heif_image_get_bits_per_pixel_range(image, interleaved)
  return { samples: bits === 8 ? rows : spread(rows, depth), width, height, channels }
}
