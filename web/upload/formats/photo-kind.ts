// What a file is, by its first bytes, and how many pixels its header says it has: before anything decodes it.
import { latin1, standsAt } from '../../../src/shared/formats/bytes.ts'
import {
  imageFormatOf,
  imageFormats,
  startsWith,
  type FileFormat,
  type ImageFormat,
  type PixelSize,
} from '../../../src/shared/formats/image-formats.ts'

type PhotoFormat = Pick<FileFormat, 'mimeType' | 'isIn' | 'readSize'>

/** Enough for every kind's header but that of a JPEG with a long profile and of HEIF. */
export const headBytes = 64

const text = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, to))

const webpSignature = latin1('WEBP')
const isRiff = startsWith('RIFF')

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

/** Brands of ISO 23008-12 and of AVIF; the major one counts, `mif1` alone is looked at closer. */
const brandsOf = (bytes: Uint8Array): string =>
  text(bytes, 4, 8) === 'ftyp' ? text(bytes, 8, headBytes) : ''
const isAvif = (bytes: Uint8Array): boolean => /avif|avis/.test(brandsOf(bytes))
const isHeic = (bytes: Uint8Array): boolean =>
  !isAvif(bytes) && /^(?:heic|heix|heim|heis|hevc|hevx|mif1|msf1)/.test(brandsOf(bytes))

/** The largest `ispe` of a HEIF is that of the whole picture; tiles and previews have smaller ones. */
function heifSize(view: DataView, whole: Uint8Array): PixelSize | undefined {
  const bytes = whole.subarray(0, 65_536)
  let largest: PixelSize | undefined
  for (let at = bytes.indexOf(0x69); at !== -1 && at + 16 <= bytes.length; at = bytes.indexOf(0x69, at + 1)) {
    if (text(bytes, at, at + 4) !== 'ispe') continue
    const size = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) }
    if (size.width * size.height > (largest?.width ?? 0) * (largest?.height ?? 0)) largest = size
  }
  return largest
}

/** Those that a browser may be able to turn into one that the service takes; never one that it takes. */
const convertible = {
  heic: { mimeType: 'image/heic', isIn: isHeic, readSize: heifSize },
  avif: { mimeType: 'image/avif', isIn: isAvif, readSize: heifSize },
  webp: {
    mimeType: 'image/webp',
    isIn: (bytes) => isRiff(bytes) && standsAt(bytes, 8, webpSignature),
    readSize: webpSize,
  },
  tiff: { mimeType: 'image/tiff', isIn: startsWith('II*\0', 'MM\0*'), readSize: () => undefined },
} as const satisfies Record<string, PhotoFormat> & { readonly [Format in ImageFormat]?: never }

export type PhotoKind = ImageFormat | keyof typeof convertible

export const photoFormats: Readonly<Record<PhotoKind, PhotoFormat>> = { ...imageFormats, ...convertible }

/** @param bytes the first of the file. */
export function kindOf(bytes: Uint8Array): PhotoKind | undefined {
  const kinds = Object.keys(convertible) as (keyof typeof convertible)[]
  return imageFormatOf(bytes) ?? kinds.find((kind) => convertible[kind].isIn(bytes))
}
