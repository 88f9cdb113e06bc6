// Decodes the pixels of a BMP file. Our own decoder, because no library reads the whole format without trusting its
// headers.
import { refuse } from '../../../errors.ts'
import type { BmpHeader, BmpMasks } from './bmp-header.ts'
import { measureRle, paintRle } from './bmp-rle.ts'

export interface BmpPixels {
  readonly width: number
  readonly height: number
  /** 4 only if some pixel is not opaque. */
  readonly channels: 3 | 4
  /** 8-bit RGB or RGBA, not premultiplied, top row first; may be a view of the start of a larger buffer. */
  readonly data: Uint8Array
}

/**
 * Decodes the picture described by `header` (read from the same bytes and already checked against the size limits).
 * Refuses with `broken-image` a file that lacks any of its pixel data, including padding; the single buffer is
 * allocated only after that. Where the format is silent, this follows browsers, which matters because they get the
 * file itself as lg: indexes beyond the colour table are black, pixels that an RLE stream skips are transparent, and
 * a picture with alpha 0 everywhere is opaque (writers forget to fill it in). Values are returned as stored, without
 * colour conversion.
 */
export function decodeBmp(bytes: Uint8Array, header: BmpHeader): BmpPixels {
  const { width, height } = header
  if (header.coding !== 'plain') {
    const { painted } = measureRle(bytes, header)
    const channels = painted === width * height ? 3 : 4
    const data = new Uint8Array(width * height * channels)
    paintRle(bytes, header, { palette: readColours(bytes, header), data, channels })
    return { width, height, channels, data }
  }
  findPixelEnd(bytes, header)
  const data = new Uint8Array(width * height * header.channels)
  if (header.masks !== undefined) {
    const { isOpaque } = unpackMasked(bytes, header, { masks: header.masks, data })
    if (header.channels === 4 && isOpaque) return { width, height, channels: 3, data: dropAlpha(data) }
  } else if (header.bits === 24) {
    unpackTriples(bytes, header, data)
  } else {
    unpackIndexed(bytes, header, data)
  }
  return { width, height, channels: header.channels, data }
}

/** Offset of the first byte after the pixel data, including the padding of the last row; refuses if it is cut off. */
export function findPixelEnd(bytes: Uint8Array, header: BmpHeader): number {
  if (header.coding !== 'plain') return measureRle(bytes, header).end
  const end = header.pixelOffset + rowBytes(header) * header.height
  if (end > bytes.length)
    throw refuse('broken-image', { detail: 'The BMP file is truncated within its pixel data.' })
  return end
}

/** Rows are padded to a multiple of four bytes. */
export function rowBytes({ width, bits }: BmpHeader): number {
  return Math.ceil((width * bits) / 32) * 4
}

function rowStart(header: BmpHeader, y: number): number {
  const storedRow = header.isTopDown ? y : header.height - 1 - y
  return header.pixelOffset + storedRow * rowBytes(header)
}

/** The colour table as RGB with 256 entries: missing ones are black. */
function readColours(bytes: Uint8Array, { palette }: BmpHeader): Uint8Array {
  const colours = new Uint8Array(256 * 3)
  for (let index = 0; index < palette.count; index += 1) {
    const entry = palette.start + index * palette.entryBytes
    colours[index * 3] = bytes[entry + 2] ?? 0
    colours[index * 3 + 1] = bytes[entry + 1] ?? 0
    colours[index * 3 + 2] = bytes[entry] ?? 0
  }
  return colours
}

function unpackIndexed(bytes: Uint8Array, header: BmpHeader, data: Uint8Array): void {
  const { width, height, bits } = header
  const colours = readColours(bytes, header)
  const indexMask = 2 ** bits - 1
  let target = 0
  for (let y = 0; y < height; y += 1) {
    const start = rowStart(header, y)
    for (let x = 0; x < width; x += 1) {
      const bit = x * bits
      const packed = bytes[start + (bit >>> 3)] ?? 0
      const entry = ((packed >>> (8 - bits - (bit & 7))) & indexMask) * 3
      data[target] = colours[entry] ?? 0
      data[target + 1] = colours[entry + 1] ?? 0
      data[target + 2] = colours[entry + 2] ?? 0
      target += 3
    }
  }
}

function unpackTriples(bytes: Uint8Array, header: BmpHeader, data: Uint8Array): void {
  const { width, height } = header
  let target = 0
  for (let y = 0; y < height; y += 1) {
    const start = rowStart(header, y)
    for (let source = start; source < start + width * 3; source += 3) {
      data[target] = bytes[source + 2] ?? 0
      data[target + 1] = bytes[source + 1] ?? 0
      data[target + 2] = bytes[source] ?? 0
      target += 3
    }
  }
}

function unpackMasked(
  bytes: Uint8Array,
  header: BmpHeader,
  { masks, data }: { masks: BmpMasks; data: Uint8Array },
): { isOpaque: boolean } {
  const { width, height, bits, channels } = header
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const red = fieldOf(masks.red)
  const green = fieldOf(masks.green)
  const blue = fieldOf(masks.blue)
  const alpha = fieldOf(masks.alpha)
  const pixelBytes = bits / 8
  let target = 0
  let [lowestAlpha, highestAlpha] = [255, 0]
  for (let y = 0; y < height; y += 1) {
    const start = rowStart(header, y)
    for (let source = start; source < start + width * pixelBytes; source += pixelBytes) {
      const pixel = bits === 16 ? view.getUint16(source, true) : view.getUint32(source, true)
      data[target] = widen(pixel, red)
      data[target + 1] = widen(pixel, green)
      data[target + 2] = widen(pixel, blue)
      if (channels === 4) {
        const opacity = widen(pixel, alpha)
        if (opacity < lowestAlpha) lowestAlpha = opacity
        if (opacity > highestAlpha) highestAlpha = opacity
        data[target + 3] = opacity
      }
      target += channels
    }
  }
  return { isOpaque: lowestAlpha === 255 || highestAlpha === 0 }
}

/** Compacts RGBA to RGB within the same buffer. */
function dropAlpha(data: Uint8Array): Uint8Array {
  let target = 0
  for (let source = 0; source < data.length; source += 4) {
    data[target] = data[source] ?? 0
    data[target + 1] = data[source + 1] ?? 0
    data[target + 2] = data[source + 2] ?? 0
    target += 3
  }
  return data.subarray(0, target)
}

/** The position of one channel in a pixel, and the factor from its range to 0–255 (0 if there is no such channel). */
interface Field {
  readonly mask: number
  readonly shift: number
  readonly scale: number
}

function fieldOf(mask: number): Field {
  if (mask === 0) return { mask, shift: 0, scale: 0 }
  const shift = 31 - Math.clz32(mask & -mask)
  return { mask, shift, scale: 255 / (mask >>> shift) }
}

/** Rounds to nearest. There are no ties, because a range of 2^n - 1 steps never falls halfway. */
function widen(pixel: number, { mask, shift, scale }: Field): number {
  return (((pixel & mask) >>> shift) * scale + 0.5) | 0
}
