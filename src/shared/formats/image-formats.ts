// The stored image formats (contract C15), with an entry each: what server, web app and CLI know about them without
// decoding. imaging/ parses and decodes them.
import { latin1, standsAt } from './bytes.ts'
import { isFrame, wholeSegments } from './jpeg-segments.ts'

export type ImageFormat = 'jpeg' | 'png' | 'gif' | 'bmp'

export interface PixelSize {
  readonly width: number
  readonly height: number
}

export interface FileFormat {
  /** As people call it. */
  readonly name: string
  readonly mimeType: string
  /** As other programs call it; an upload may, too. */
  readonly aliases: readonly string[]
  /** File extensions: the first is the one that we write. */
  readonly extensions: readonly [string, ...string[]]
  /** By its first bytes alone: never by a name or a declared type, which an attacker chooses. */
  readonly isIn: (bytes: Uint8Array) => boolean
  /** From its header, of at least `minHeaderBytes`; undefined if that does not say. */
  readonly readSize: (view: DataView, bytes: Uint8Array) => PixelSize | undefined
}

/** Enough for every header of a fixed length. */
const minHeaderBytes = 30

/** A test for files that start with one of these. */
export function startsWith(...signatures: readonly string[]): (bytes: Uint8Array) => boolean {
  const starts = signatures.map(latin1)
  return (bytes) => starts.some((start) => standsAt(bytes, 0, start))
}

const pngStart = '\x89PNG\r\n\x1a\n'
export const pngSignature = latin1(pngStart)

export const imageFormats = {
  jpeg: {
    name: 'JPEG',
    mimeType: 'image/jpeg',
    aliases: ['image/jpg', 'image/pjpeg'],
    extensions: ['jpg', 'jpeg', 'jpe', 'jfif'],
    isIn: startsWith('\xff\xd8\xff'),
    readSize: (view, bytes) => {
      for (const { marker, body, to } of wholeSegments(bytes))
        if (isFrame(marker) && body + 5 <= to)
          return { width: view.getUint16(body + 3), height: view.getUint16(body + 1) }
      return undefined
    },
  },
  png: {
    name: 'PNG',
    mimeType: 'image/png',
    aliases: ['image/x-png'],
    extensions: ['png'],
    isIn: startsWith(pngStart),
    readSize: (view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  },
  gif: {
    name: 'GIF',
    mimeType: 'image/gif',
    aliases: [],
    extensions: ['gif'],
    isIn: startsWith('GIF87a', 'GIF89a'),
    readSize: (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  },
  bmp: {
    name: 'BMP',
    mimeType: 'image/bmp',
    aliases: ['image/x-ms-bmp', 'image/x-bmp'],
    extensions: ['bmp'],
    isIn: startsWith('BM'),
    readSize: (view) =>
      view.getUint32(14, true) === 12 // the header of OS/2 has 16 bits a side
        ? { width: view.getUint16(18, true), height: view.getUint16(20, true) }
        : // A negative height says that the rows begin at the top.
          { width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) },
  },
} as const satisfies Record<ImageFormat, FileFormat>

export function isImageFormat(text: string): text is ImageFormat {
  return Object.hasOwn(imageFormats, text)
}

const all: readonly FileFormat[] = Object.values(imageFormats)
export const imageMimeTypes: readonly string[] = all.map(({ mimeType }) => mimeType)
/** `image/jpeg, image/png, image/gif or image/bmp`. */
export const listedMimeTypes = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(imageMimeTypes)

export function imageFormatOf(bytes: Uint8Array): ImageFormat | undefined {
  return Object.keys(imageFormats)
    .filter(isImageFormat)
    .find((format) => imageFormats[format].isIn(bytes))
}

/** @param bytes the whole file, or enough of it to contain the header. */
export function pixelSizeOf(
  bytes: Uint8Array,
  { readSize }: Pick<FileFormat, 'readSize'>,
): PixelSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return bytes.length < minHeaderBytes ? undefined : readSize(view, bytes)
}

/** The extension for one of our MIME types, without a dot. */
export function extensionOf(type: string): string | undefined {
  return all.find(({ mimeType }) => mimeType === type)?.extensions[0]
}

/** Every Content-Type that an upload may have; it may also have none. */
export const declarableTypes: readonly string[] = [
  ...imageMimeTypes,
  ...all.flatMap(({ aliases }) => aliases),
  'application/octet-stream',
]
const declarable: ReadonlySet<string> = new Set(declarableTypes)

/**
 * Whether an upload may have this Content-Type (without parameters), or none, before a byte is read. The list is
 * closed: it has no other image type, document or multipart, nor the form type that curl adds by default, which the
 * classic upload also accepts. Which format it is, only the bytes decide.
 */
export function mayBeDeclared(essence: string | undefined): boolean {
  return essence === undefined || essence === '' || declarable.has(essence.toLowerCase())
}
