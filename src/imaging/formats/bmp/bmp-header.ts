// Reads and validates the headers of a BMP file; no allocation depends on their claims.
import { imageFormats } from '../../../shared/formats/image-formats.ts'
import { refuse } from '../../../errors.ts'
import type { Refusal } from '../../../errors.ts'

/** Which bits of a 16 or 32-bit pixel hold each channel; 0 where there is no such channel. */
export interface BmpMasks {
  readonly red: number
  readonly green: number
  readonly blue: number
  readonly alpha: number
}

/** The colour table, up to the highest index that a pixel can have. */
export interface BmpPalette {
  readonly start: number
  readonly count: number
  /** 3 in the oldest version, otherwise 4 (blue, green, red, unused). */
  readonly entryBytes: 3 | 4
}

export interface BmpHeader {
  /** In pixels, at least 1; the caller checks both sides against the limits before decoding. */
  readonly width: number
  readonly height: number
  /** Maximum channels from decodeBmp, so 4 for every RLE picture; it returns 4 only if a pixel is transparent. */
  readonly channels: 3 | 4
  readonly isTopDown: boolean
  readonly bits: number
  readonly coding: 'plain' | 'rle4' | 'rle8'
  /** Length of the second header, which also identifies its version: 12, 16, 40, 52, 56, 64, 108 or 124. */
  readonly headerBytes: number
  /** Where the headers end, including the masks that follow a header of 40 bytes. */
  readonly headersEnd: number
  /** With 16, 24 and 32-bit pixels only a hint for 256-colour screens; no pixel refers to it. */
  readonly palette: BmpPalette
  readonly masks: BmpMasks | undefined
  readonly pixelOffset: number
}

/** Offsets within the file of the fields that are read or cleared, for all headers except the 12-byte one. */
export const bmpField = {
  fileSize: 2,
  reserved: 6,
  pixelOffset: 10,
  headerBytes: 14,
  width: 18,
  height: 22,
  planes: 26,
  bits: 28,
  compression: 30,
  imageSize: 34,
  coloursUsed: 46,
  coloursImportant: 50,
  masks: 54,
  alphaMask: 66,
  colourSpace: 70,
  endpoints: 74,
  gammas: 110,
  intent: 122,
  profileStart: 126,
  profileBytes: 130,
  profileReserved: 134,
} as const

const fileHeaderBytes = 14
const coreHeaderBytes = 12
/** OS/2 2.x writes its full header (64) or only up to the bit count (16). */
const os2HeaderBytes: ReadonlySet<number> = new Set([16, 64])
const windowsHeaderBytes: ReadonlySet<number> = new Set([40, 52, 56, 108, 124])
const knownBits: ReadonlySet<number> = new Set([1, 2, 4, 8, 16, 24, 32])

const fourthByte = 0xff000000
const compressions = { none: 0, rle8: 1, rle4: 2, bitFields: 3, jpeg: 4, png: 5, alphaBitFields: 6 } as const

/**
 * Reads the headers of a BMP file, from OS/2 1.x to version 5. Redundant sizes (of the file, of the pixel data) are
 * ignored: many writers get them wrong, and nothing here depends on them. Refuses with `broken-image`; the caller
 * decides whether the picture is too large.
 */
export function readBmpHeader(bytes: Uint8Array): BmpHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!imageFormats.bmp.isIn(bytes)) throw broken('The file does not start with a BMP signature.')
  const headerBytes = readHeaderBytes(view)
  const { width, height, planes, bits } = readPicture(view, headerBytes)
  if (width <= 0 || height === 0) throw broken('The BMP header has a width or height of 0.')
  if (planes !== 1) throw broken('The BMP header has a number of colour planes other than one.')
  const compression = headerBytes >= 40 ? view.getUint32(bmpField.compression, true) : compressions.none
  const coding = readCoding(compression, { bits, headerBytes })
  if (!knownBits.has(bits)) throw broken('The BMP header has an invalid bit count.')
  const isTopDown = height < 0
  if (isTopDown && coding !== 'plain') throw broken('A top-down BMP image cannot be RLE-compressed.')

  const headersEnd = findHeadersEnd(headerBytes, compression)
  const pixelOffset = view.getUint32(bmpField.pixelOffset, true)
  if (pixelOffset < headersEnd) throw broken('The pixel data of the BMP file overlaps its headers.')
  if (pixelOffset >= bytes.length) throw broken('The BMP file is truncated before its pixel data.')
  const masks = readMasks(view, { bits, compression, headerBytes })
  const palette = readPaletteSpan(view, { bits, headerBytes, headersEnd, pixelOffset })
  const channels = coding !== 'plain' || (masks?.alpha ?? 0) !== 0 ? 4 : 3
  return {
    width,
    height: Math.abs(height),
    channels,
    isTopDown,
    bits,
    coding,
    headerBytes,
    headersEnd,
    palette,
    masks,
    pixelOffset,
  }
}

function readHeaderBytes(view: DataView): number {
  if (view.byteLength < fileHeaderBytes + 4) throw broken('The BMP file is truncated within its headers.')
  const headerBytes = view.getUint32(bmpField.headerBytes, true)
  const isKnown =
    headerBytes === coreHeaderBytes || os2HeaderBytes.has(headerBytes) || windowsHeaderBytes.has(headerBytes)
  if (!isKnown) throw broken('The BMP header has an invalid length.')
  if (view.byteLength < fileHeaderBytes + headerBytes)
    throw broken('The BMP file is truncated within its headers.')
  return headerBytes
}

interface Picture {
  readonly width: number
  readonly height: number
  readonly planes: number
  readonly bits: number
}

function readPicture(view: DataView, headerBytes: number): Picture {
  if (headerBytes === coreHeaderBytes) {
    const [width, height] = [view.getUint16(18, true), view.getUint16(20, true)]
    return { width, height, planes: view.getUint16(22, true), bits: view.getUint16(24, true) }
  }
  return {
    width: view.getInt32(bmpField.width, true),
    height: view.getInt32(bmpField.height, true),
    planes: view.getUint16(bmpField.planes, true),
    bits: view.getUint16(bmpField.bits, true),
  }
}

function readCoding(
  compression: number,
  { bits, headerBytes }: { bits: number; headerBytes: number },
): BmpHeader['coding'] {
  if (compression === compressions.none) return 'plain'
  if (compression === compressions.rle8 && bits === 8) return 'rle8'
  if (compression === compressions.rle4 && bits === 4) return 'rle4'
  // In an OS/2 header the same numbers mean Huffman and 24-bit RLE, which no known program writes.
  const isWindows = windowsHeaderBytes.has(headerBytes)
  if (isWindows && isMasked(compression) && (bits === 16 || bits === 32)) return 'plain'
  // For printers: a BMP that wraps another format, which would bypass the checks of that format.
  if (isWindows && (compression === compressions.jpeg || compression === compressions.png)) {
    throw broken('The BMP file contains a JPEG or PNG image: send that image directly.')
  }
  throw broken('The BMP header has a compression that is invalid or does not match its bit count.')
}

function isMasked(compression: number): boolean {
  return compression === compressions.bitFields || compression === compressions.alphaBitFields
}

/** Masks follow a header of 40 bytes; longer headers contain them at the same offset. */
function findHeadersEnd(headerBytes: number, compression: number): number {
  const headerEnd = fileHeaderBytes + headerBytes
  if (!isMasked(compression)) return headerEnd
  const maskBytes = compression === compressions.alphaBitFields ? 16 : 12
  return Math.max(headerEnd, bmpField.masks + maskBytes)
}

/** Only called after checking that the pixels begin after the masks and within the file. */
function readMasks(
  view: DataView,
  { bits, compression, headerBytes }: { bits: number; compression: number; headerBytes: number },
): BmpMasks | undefined {
  if (!isMasked(compression)) {
    if (bits === 16) return { red: 0x7c00, green: 0x03e0, blue: 0x001f, alpha: 0 }
    if (bits !== 32) return undefined
    // The fourth byte of such a pixel is ignored, unless a header of version 4 or 5 declares it as alpha; browsers do
    // the same.
    const alphaMask = headerBytes >= 108 ? view.getUint32(bmpField.masks + 12, true) : 0
    const alpha = alphaMask === fourthByte ? alphaMask : 0
    return { red: 0xff0000, green: 0x00ff00, blue: 0x0000ff, alpha }
  }
  const [red, green, blue] = [0, 4, 8].map((offset) => view.getUint32(bmpField.masks + offset, true))
  if (red === undefined || green === undefined || blue === undefined)
    throw broken('Colour masks are missing.')
  const hasAlpha = compression === compressions.alphaBitFields || headerBytes >= 56
  const alphaField = hasAlpha ? view.getUint32(bmpField.masks + 12, true) : 0
  // Writers leave the alpha mask of 32-bit pixels in the header of 16-bit ones, where it covers no bits.
  const alpha = bits === 16 ? alphaField & 0xffff : alphaField
  const masks = [red, green, blue, alpha]
  const isOutside = bits === 16 && (red | green | blue) >>> 16 !== 0
  const isOverlapping = countBits(red | green | blue | alpha) !== masks.map(countBits).reduce((a, b) => a + b)
  if (isOutside || isOverlapping || !masks.every(isContiguous) || (red | green | blue) === 0) {
    throw broken('The colour masks of the BMP header overlap or are invalid.')
  }
  return { red, green, blue, alpha }
}

function countBits(mask: number): number {
  let count = 0
  for (let rest = mask >>> 0; rest !== 0; rest >>>= 1) count += rest & 1
  return count
}

function isContiguous(mask: number): boolean {
  const low = mask & -mask
  return (mask & (mask + low)) === 0
}

function readPaletteSpan(
  view: DataView,
  file: { bits: number; headerBytes: number; headersEnd: number; pixelOffset: number },
): BmpPalette {
  const entryBytes = file.headerBytes === coreHeaderBytes ? 3 : 4
  const room = Math.floor((file.pixelOffset - file.headersEnd) / entryBytes)
  const declared = file.headerBytes >= 40 ? view.getUint32(bmpField.coloursUsed, true) : 0
  const start = file.headersEnd
  if (file.bits > 8) {
    // No pixel refers to it, so too large a count is harmless: some writers put 16,777,216 here.
    return { start, count: declared > room ? 0 : Math.min(declared, 256), entryBytes }
  }
  if (declared > room) throw broken('The colour table of the BMP file is larger than the file.')
  // OS/2 files may have a shorter colour table without declaring it: it fills the space before the pixels.
  const count = Math.min(declared === 0 ? room : declared, 2 ** file.bits)
  if (count === 0) throw broken('The BMP file has no colour table.')
  return { start, count, entryBytes }
}

function broken(detail: string): Refusal {
  return refuse('broken-image', { detail })
}
