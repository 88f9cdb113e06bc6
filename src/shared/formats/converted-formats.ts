// The formats that v2 accepts besides the four that are stored (contract C55); such a photo is converted.
import { latin1, standsAt } from './bytes.ts'
import {
  imageFormatOf,
  imageFormats,
  mayBeDeclared,
  startsWith,
  type FileFormat,
  type ImageFormat,
  type PixelSize,
} from './image-formats.ts'

export type ConvertedFormat = 'heic' | 'avif' | 'webp'
/** What can be uploaded somewhere. */
export type UploadFormat = ImageFormat | ConvertedFormat

const brandBytes = 64

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

/** Brands of ISO 23008-12 and of AVIF; the major brand counts, and only `mif1` is examined further. */
const brandsOf = (bytes: Uint8Array): string =>
  text(bytes, 4, 8) === 'ftyp' ? text(bytes, 8, brandBytes) : ''
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

export const convertedFormats = {
  heic: {
    name: 'HEIC',
    mimeType: 'image/heic',
    aliases: ['image/heif', 'image/heic-sequence', 'image/heif-sequence'],
    extensions: ['heic', 'heif', 'hif'],
    isIn: isHeic,
    readSize: heifSize,
  },
  avif: {
    name: 'AVIF',
    mimeType: 'image/avif',
    aliases: [],
    extensions: ['avif'],
    isIn: isAvif,
    readSize: heifSize,
  },
  webp: {
    name: 'WebP',
    mimeType: 'image/webp',
    aliases: [],
    extensions: ['webp'],
    isIn: (bytes) => isRiff(bytes) && standsAt(bytes, 8, webpSignature),
    readSize: webpSize,
  },
} as const satisfies Record<ConvertedFormat, FileFormat> & { readonly [Format in ImageFormat]?: never }

export const uploadFormats: Readonly<Record<UploadFormat, FileFormat>> = {
  ...imageFormats,
  ...convertedFormats,
}

const formats: readonly FileFormat[] = Object.values(uploadFormats)
/** `image/jpeg, image/png … or image/webp`. */
export const listedUploadTypes = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
  formats.map(({ mimeType }) => mimeType),
)

const declarable: ReadonlySet<string> = new Set([
  ...Object.values(convertedFormats).map(({ mimeType }) => mimeType),
  ...Object.values<FileFormat>(convertedFormats).flatMap(({ aliases }) => aliases),
])

/** As `mayBeDeclared`, where these formats are taken, too. */
export function mayBeDeclaredAsUpload(essence: string | undefined): boolean {
  return mayBeDeclared(essence) || (essence !== undefined && declarable.has(essence.toLowerCase()))
}

export function isConvertedFormat(text: string): text is ConvertedFormat {
  return Object.hasOwn(convertedFormats, text)
}

export function isUploadFormat(text: string): text is UploadFormat {
  return Object.hasOwn(uploadFormats, text)
}

export function convertedFormatOf(bytes: Uint8Array): ConvertedFormat | undefined {
  return Object.keys(convertedFormats)
    .filter(isConvertedFormat)
    .find((format) => convertedFormats[format].isIn(bytes))
}

/** @param bytes the first of the file, or all. */
export function uploadFormatOf(bytes: Uint8Array): UploadFormat | undefined {
  return imageFormatOf(bytes) ?? convertedFormatOf(bytes)
}
