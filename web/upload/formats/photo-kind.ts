// What a file is, by its first bytes, and how many pixels its header says it has: before anything decodes it.

/** Those that the service takes as they are (contract C15), and those that a browser may be able to turn into one. */
export type PhotoKind = 'jpeg' | 'png' | 'gif' | 'bmp' | 'heic' | 'avif' | 'webp' | 'tiff'

const taken: ReadonlySet<PhotoKind> = new Set(['jpeg', 'png', 'gif', 'bmp'])
export const isTaken = (kind: PhotoKind): boolean => taken.has(kind)

/** What it is sent as: not what the browser makes of the file's name, which a phone or a messenger may have chosen. */
export const mediaTypeOf = (kind: PhotoKind): string => `image/${kind}`

/** Enough for every kind's header but that of a JPEG with a long profile and of HEIF. */
export const headBytes = 64

const text = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, to))

/** Brands of ISO 23008-12 and of AVIF; the major one counts, `mif1` alone is looked at closer. */
function heifKind(bytes: Uint8Array): PhotoKind | undefined {
  const brands = text(bytes, 8, headBytes)
  if (/avif|avis/.test(brands)) return 'avif'
  return /^(?:heic|heix|heim|heis|hevc|hevx|mif1|msf1)/.test(brands) ? 'heic' : undefined
}

/** @param bytes the first of the file. */
export function kindOf(bytes: Uint8Array): PhotoKind | undefined {
  const start = text(bytes, 0, 12)
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'gif'
  if (start.startsWith('BM')) return 'bmp'
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return 'webp'
  if (start.startsWith('II*\0') || start.startsWith('MM\0*')) return 'tiff'
  return start.slice(4, 8) === 'ftyp' ? heifKind(bytes) : undefined
}

export interface PixelSize {
  readonly width: number
  readonly height: number
}

function jpegSize(view: DataView): PixelSize | undefined {
  let at = 2
  while (at + 9 < view.byteLength) {
    const marker = view.getUint8(at + 1)
    if (view.getUint8(at) !== 0xff) return undefined
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2)
  }
  return undefined
}

function webpSize(view: DataView, bytes: Uint8Array): PixelSize | undefined {
  const chunk = text(bytes, 12, 16)
  const small = (at: number): number => view.getUint16(at, true) & 0x3fff
  if (chunk === 'VP8 ') return { width: small(26), height: small(28) }
  if (chunk === 'VP8L') {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  const three = (at: number): number => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536 + 1
  return chunk === 'VP8X' ? { width: three(24), height: three(27) } : undefined
}

/** The largest `ispe` of a HEIF is that of the whole picture; tiles and previews have smaller ones. */
function heifSize(view: DataView, bytes: Uint8Array): PixelSize | undefined {
  let largest: PixelSize | undefined
  for (let at = bytes.indexOf(0x69); at !== -1 && at + 16 <= bytes.length; at = bytes.indexOf(0x69, at + 1)) {
    if (text(bytes, at, at + 4) !== 'ispe') continue
    const size = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) }
    if (size.width * size.height > (largest?.width ?? 0) * (largest?.height ?? 0)) largest = size
  }
  return largest
}

/** @param bytes the whole file, or so much of it that its header is in it. @returns undefined where it does not tell. */
export function pixelSizeOf(bytes: Uint8Array, kind: PhotoKind): PixelSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 30) return undefined
  switch (kind) {
    case 'jpeg':
      return jpegSize(view)
    case 'png':
      return { width: view.getUint32(16), height: view.getUint32(20) }
    case 'gif':
      return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
    case 'bmp':
      return { width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) }
    case 'webp':
      return webpSize(view, bytes)
    case 'heic':
    case 'avif':
      return heifSize(view, bytes.subarray(0, 65_536))
    case 'tiff':
      return undefined
  }
}
