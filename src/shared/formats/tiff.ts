// Reads directories and values of a TIFF structure, such as EXIF, within fixed limits for any bytes.

/** An exact number as a file writes it; a denominator of 0 says that the file gives no number. */
export interface Fraction {
  readonly numerator: bigint
  readonly denominator: bigint
}

export interface Tiff {
  readonly view: DataView
  readonly isLittleEndian: boolean
}

export interface Entry {
  readonly type: number
  readonly count: number
  /** Where the entry's four value bytes are: the value itself, or its offset. */
  readonly fieldAt: number
}

/** The types of TIFF 6.0 and the offset type of its supplement 1, with the bytes that one value takes. */
const types = {
  byte: 1,
  text: 2,
  short: 3,
  long: 4,
  rational: 5,
  signedByte: 6,
  undefined: 7,
  signedShort: 8,
  signedLong: 9,
  signedRational: 10,
  float: 11,
  double: 12,
  offset: 13,
} as const
const bytesPerValue = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

/**
 * More than a JPEG segment can hold (5,461). A directory may claim 65,535; a PNG could bring them all, and
 * nothing real does.
 */
const maxEntries = 8_192
const bytesPerEntry = 12
const maxTextBytes = 64
const maxParts = 3

const noNumber: Fraction = { numerator: 0n, denominator: 0n }

/** @returns undefined if the bytes do not begin like TIFF. */
export function openTiff(bytes: Uint8Array): Tiff | undefined {
  if (bytes.length < 8) return undefined
  const isLittleEndian = bytes[0] === 0x49 && bytes[1] === 0x49
  if (!isLittleEndian && !(bytes[0] === 0x4d && bytes[1] === 0x4d)) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return view.getUint16(2, isLittleEndian) === 42 ? { view, isLittleEndian } : undefined
}

/** The wanted entries of a directory, the first of each tag; entries beyond the end of the bytes are left out. */
export function readDirectory(tiff: Tiff, at: number, tags: readonly number[]): ReadonlyMap<number, Entry> {
  const { view, isLittleEndian } = tiff
  const entries = new Map<number, Entry>()
  if (at + 2 > view.byteLength) return entries
  const whole = Math.floor((view.byteLength - at - 2) / bytesPerEntry)
  const count = Math.min(view.getUint16(at, isLittleEndian), whole, maxEntries)
  for (let index = 0; index < count; index += 1) {
    const entryAt = at + 2 + index * bytesPerEntry
    const tag = view.getUint16(entryAt, isLittleEndian)
    if (!tags.includes(tag) || entries.has(tag)) continue
    entries.set(tag, {
      type: view.getUint16(entryAt + 2, isLittleEndian),
      count: view.getUint32(entryAt + 4, isLittleEndian),
      fieldAt: entryAt + 8,
    })
  }
  return entries
}

/** Where the first `count` values of an entry start, or undefined if not all of them are inside the bytes. */
function locate(tiff: Tiff, entry: Entry, count: number): number | undefined {
  const size = bytesPerValue[entry.type] ?? 0
  if (size === 0 || count === 0) return undefined
  const isInField = size * entry.count <= 4
  const at = isInField ? entry.fieldAt : tiff.view.getUint32(entry.fieldAt, tiff.isLittleEndian)
  return at + size * count <= tiff.view.byteLength ? at : undefined
}

/** The first value of an entry of an unsigned whole type: cameras mix the widths up. */
export function readInteger(tiff: Tiff, entry: Entry | undefined): number | undefined {
  if (entry === undefined) return undefined
  const at = locate(tiff, entry, Math.min(entry.count, 1))
  if (at === undefined) return undefined
  if (entry.type === types.byte) return tiff.view.getUint8(at)
  if (entry.type === types.short) return tiff.view.getUint16(at, tiff.isLittleEndian)
  if (entry.type === types.long || entry.type === types.offset) {
    return tiff.view.getUint32(at, tiff.isLittleEndian)
  }
  return undefined
}

/** The text of an entry up to its first NUL; all one-byte types count as text, because references occur in each. */
export function readText(tiff: Tiff, entry: Entry | undefined): string {
  if (entry === undefined || bytesPerValue[entry.type] !== 1) return ''
  const length = Math.min(entry.count, maxTextBytes)
  const at = locate(tiff, entry, length)
  if (at === undefined) return ''
  let text = ''
  for (let index = 0; index < length; index += 1) {
    const code = tiff.view.getUint8(at + index)
    if (code === 0) break
    text += String.fromCharCode(code)
  }
  return text
}

/** Degrees, minutes and seconds, in any numeric type; [] if they cannot be read. */
export function readParts(tiff: Tiff, entry: Entry | undefined): readonly Fraction[] {
  if (entry === undefined || entry.type === types.undefined) return []
  if (entry.type === types.text) return readTypedNumbers(readText(tiff, entry))
  const count = Math.min(entry.count, maxParts)
  const at = locate(tiff, entry, count)
  if (at === undefined) return []
  const size = bytesPerValue[entry.type] ?? 0
  return Array.from({ length: count }, (_, index) => readNumber(tiff, entry.type, at + index * size))
}

/**
 * "50 17 58.57": blanks between, a point before decimals. Commas are not taken: "50,29" is 50°29' to one
 * writer and 50.29° to the next, and a wrong place is worse than none.
 */
function readTypedNumbers(text: string): readonly Fraction[] {
  const words = text.trim().split(/ +/)
  const parts = words.map(readDecimal)
  const isReadable = words.length <= maxParts && parts.every((part) => part.denominator > 0n)
  return isReadable ? parts : []
}

/** A plain unsigned decimal as an exact fraction, "50.25" or "50"; anything else is not a number. */
export function readDecimal(text: string): Fraction {
  const [, whole, decimals = ''] = /^(\d{1,10})(?:\.(\d{1,40}))?$/.exec(text) ?? []
  if (whole === undefined) return noNumber
  return { numerator: BigInt(whole + decimals), denominator: 10n ** BigInt(decimals.length) }
}

function readNumber({ view, isLittleEndian }: Tiff, type: number, at: number): Fraction {
  switch (type) {
    case types.byte:
      return wholeNumber(view.getUint8(at))
    case types.signedByte:
      return wholeNumber(view.getInt8(at))
    case types.short:
      return wholeNumber(view.getUint16(at, isLittleEndian))
    case types.signedShort:
      return wholeNumber(view.getInt16(at, isLittleEndian))
    case types.long:
    case types.offset:
      return wholeNumber(view.getUint32(at, isLittleEndian))
    case types.signedLong:
      return wholeNumber(view.getInt32(at, isLittleEndian))
    case types.rational:
      return quotient(view.getUint32(at, isLittleEndian), view.getUint32(at + 4, isLittleEndian))
    case types.signedRational:
      return quotient(view.getInt32(at, isLittleEndian), view.getInt32(at + 4, isLittleEndian))
    case types.float:
      return fromFloat(view.getFloat32(at, isLittleEndian))
    case types.double:
      return fromFloat(view.getFloat64(at, isLittleEndian))
    default:
      return noNumber
  }
}

function wholeNumber(value: number): Fraction {
  return { numerator: BigInt(value), denominator: 1n }
}

/** Keeps the sign in the numerator, so that comparisons may rely on a positive denominator. */
function quotient(numerator: number, denominator: number): Fraction {
  const sign = denominator < 0 ? -1n : 1n
  return { numerator: sign * BigInt(numerator), denominator: sign * BigInt(denominator) }
}

/** Exact to 2^-45, far below the seventh decimal; NaN and infinities are not numbers, like n/0. */
function fromFloat(value: number): Fraction {
  if (!Number.isFinite(value)) return noNumber
  if (Math.abs(value) >= 256) return wholeNumber(Math.trunc(value))
  return { numerator: BigInt(Math.round(value * 2 ** 44)), denominator: 2n ** 44n }
}
