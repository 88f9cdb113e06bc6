// Writes the one EXIF block that a converted photo has: where and when it was taken, and nothing else of its original.

export interface ExifFacts {
  /** Decimal degrees as src/shared/formats/gps.ts writes them. */
  readonly position?: { readonly lat: string; readonly lon: string } | undefined
  /** `2026-05-14T09:08:07`, with an offset or without. */
  readonly takenAt?: string | undefined
}

type Entry = readonly [tag: number, type: number, count: number, value: number | Uint8Array]

const ascii = 2
const long = 4
const rational = 5
const exifDirectoryTag = 0x8769
const gpsDirectoryTag = 0x8825
const takenTag = 0x9003
const offsetTag = 0x9011

const headerBytes = 8
const directoryBytes = (entries: readonly Entry[]): number => 2 + entries.length * 12 + 4

function textEntry(tag: number, text: string): Entry {
  const bytes = Uint8Array.from(`${text}\0`, (letter) => letter.charCodeAt(0))
  return [tag, ascii, bytes.length, bytes]
}

/**
 * Degrees, minutes and seconds, exact: the seventh decimal of a degree is 360 millionths of a second, so that the reader
 * finds the very digits that were written.
 */
function axisEntry(tag: number, degrees: string): Entry {
  const [whole = '0', fraction = ''] = degrees.replace('-', '').split('.')
  const millionths = Number(fraction.padEnd(7, '0')) * 360
  const parts = [Number(whole), 1, Math.floor(millionths / 60e6), 1, millionths % 60e6, 1e6]
  const bytes = new Uint8Array(24)
  const view = new DataView(bytes.buffer)
  for (const [index, part] of parts.entries()) view.setUint32(index * 4, part)
  return [tag, rational, 3, bytes]
}

function gpsEntries({ lat, lon }: NonNullable<ExifFacts['position']>): readonly Entry[] {
  return [
    textEntry(1, lat.startsWith('-') ? 'S' : 'N'),
    axisEntry(2, lat),
    textEntry(3, lon.startsWith('-') ? 'W' : 'E'),
    axisEntry(4, lon),
  ]
}

function takenEntries(takenAt: string): readonly Entry[] {
  const [, moment = '', offset = ''] = /^(.{19})(.*)$/.exec(takenAt) ?? []
  const written = moment.replaceAll('-', ':').replace('T', ' ')
  return [textEntry(takenTag, written), ...(offset === '' ? [] : [textEntry(offsetTag, offset)])]
}

/** Entries in their order, values of more than four bytes behind them (TIFF 6.0, big-endian). */
function writeDirectory(entries: readonly Entry[], at: number): Uint8Array {
  const isBehind = (value: Entry[3]): value is Uint8Array => typeof value !== 'number' && value.length > 4
  const even = (length: number): number => length + (length % 2)
  const behind = entries.map(([, , , value]) => (isBehind(value) ? even(value.length) : 0))
  const bytes = new Uint8Array(directoryBytes(entries) + behind.reduce((sum, length) => sum + length, 0))
  const view = new DataView(bytes.buffer)
  let valuesAt = directoryBytes(entries)
  view.setUint16(0, entries.length)
  for (const [index, [tag, type, count, value]] of entries.entries()) {
    const entryAt = 2 + index * 12
    view.setUint16(entryAt, tag)
    view.setUint16(entryAt + 2, type)
    view.setUint32(entryAt + 4, count)
    if (typeof value === 'number') view.setUint32(entryAt + 8, value)
    else if (isBehind(value)) {
      view.setUint32(entryAt + 8, at + valuesAt)
      bytes.set(value, valuesAt)
      valuesAt += even(value.length)
    } else bytes.set(value, entryAt + 8)
  }
  return bytes
}

function join(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

/** The TIFF structure of the block; undefined where there is nothing to keep. */
export function writeTiff({ position, takenAt }: ExifFacts): Uint8Array | undefined {
  if (position === undefined && takenAt === undefined) return undefined
  const count = (position === undefined ? 0 : 1) + (takenAt === undefined ? 0 : 1)
  const exifAt = headerBytes + 2 + count * 12 + 4
  const exif = takenAt === undefined ? new Uint8Array() : writeDirectory(takenEntries(takenAt), exifAt)
  const gpsAt = exifAt + exif.length
  const gps = position === undefined ? new Uint8Array() : writeDirectory(gpsEntries(position), gpsAt)
  const main: Entry[] = []
  if (takenAt !== undefined) main.push([exifDirectoryTag, long, 1, exifAt])
  if (position !== undefined) main.push([gpsDirectoryTag, long, 1, gpsAt])
  const header = Uint8Array.of(0x4d, 0x4d, 0, 42, 0, 0, 0, headerBytes)
  return join(header, writeDirectory(main, headerBytes), exif, gps)
}

/** @param jpeg fresh from the encoder. @returns the same picture with the block right behind its start marker. */
export function withExif(jpeg: Uint8Array<ArrayBuffer>, facts: ExifFacts): Uint8Array<ArrayBuffer> {
  const tiff = writeTiff(facts)
  if (tiff === undefined) return jpeg
  const length = 2 + 6 + tiff.length
  const header = [0xff, 0xe1, length >> 8, length & 0xff, 0x45, 0x78, 0x69, 0x66, 0, 0]
  return join(jpeg.subarray(0, 2), Uint8Array.from(header), tiff, jpeg.subarray(2))
}
