// Reads and writes ISO 14496-12 boxes and their fields, within the bounds of the file.
import { damaged, joinPieces, readUint16, readUint32, byteAt } from '../../container-parts.ts'
import { truncated } from '../../converted.ts'
import { latin1 } from '../../../shared/formats/bytes.ts'

export interface Box {
  readonly type: string
  readonly from: number
  readonly body: number
  readonly to: number
}

/** Per parent; a photo of 100 megapixels in tiles has about 800 items. */
const maxBoxes = 4_096
const maxLongBytes = 2 ** 32

export const textAt = (bytes: Uint8Array, at: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + 4))

/** @param size in bytes; 0 if the box omits the field. */
export function readNumber(bytes: Uint8Array, at: number, size: number): number {
  if (size === 0) return 0
  if (size === 1) return byteAt(bytes, at)
  if (size === 2) return readUint16(bytes, at)
  if (size === 4) return readUint32(bytes, at)
  if (size === 8) return readUint32(bytes, at) * maxLongBytes + readUint32(bytes, at + 4)
  throw damaged('The file has a field of an unknown size.')
}

/** The boxes in order. @throws refusal `broken-image` if one is incomplete. */
export function* boxesIn(bytes: Uint8Array, from: number, to: number): Generator<Box, void> {
  let count = 0
  for (let at = from; at < to;) {
    count += 1
    if (count > maxBoxes) throw damaged('The file has too many boxes.')
    if (at + 8 > to) truncated('a box')
    const sizeField = readUint32(bytes, at)
    const isLong = sizeField === 1
    const body = at + (isLong ? 16 : 8)
    const end = sizeField === 0 ? to : at + (isLong ? readNumber(bytes, at + 8, 8) : sizeField)
    if (end < body) throw damaged('The file has a box without room for its header.')
    if (end > to) truncated('a box')
    yield { type: textAt(bytes, at + 4), from: at, body, to: end }
    at = end
  }
}

export const readBoxes = (bytes: Uint8Array, from: number, to: number): Box[] => [...boxesIn(bytes, from, to)]

/** Big-endian, like the whole format. */
export function writeNumber(value: number, size: 1 | 2 | 4): Uint8Array {
  const bytes = Buffer.alloc(size)
  bytes.writeUIntBE(value, 0, size)
  return bytes
}

export const join = (...parts: readonly Uint8Array[]): Uint8Array => joinPieces(new Uint8Array(), parts)

export function writeBox(type: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 8)
  return join(writeNumber(length, 4), latin1(type), ...parts)
}

/** With the version and flags at the start of a full box. */
export const writeFullBox = (
  type: string,
  version: number,
  flags: number,
  ...parts: readonly Uint8Array[]
): Uint8Array => writeBox(type, writeNumber(version * 16_777_216 + flags, 4), ...parts)
