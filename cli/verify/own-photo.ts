// The photo that `waymark verify --write` uploads: a grey JPEG of about 3 kB, with a position, an orientation and a comment.

/** As stored; its orientation rotates it to 600 × 800. */
export const ownPhotoSides = { width: 800, height: 600 } as const
/** 45° 30' 0" N, 122° 15' 0" W: whole minutes, so that no server has to round. */
export const ownPhotoPosition = { lat: 45.5, lon: -122.25 } as const

export interface OwnPhoto {
  readonly bytes: Buffer<ArrayBuffer>
  /** Must not be in any file that the server sends to others. */
  readonly position: Buffer
  readonly comment: Buffer
}

const segment = (marker: number, body: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([head, body])
}

const entry = (tag: number, type: number, count: number, value: Buffer): Buffer => {
  const bytes = Buffer.alloc(12)
  bytes.writeUInt16BE(tag, 0)
  bytes.writeUInt16BE(type, 2)
  bytes.writeUInt32BE(count, 4)
  value.copy(bytes, 8)
  return bytes
}

const short = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff])
const long = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const rationals = (...parts: number[]): Buffer =>
  Buffer.concat(parts.flatMap((part) => [long(part), long(1)]))

const types = { ascii: 2, short: 3, long: 4, rational: 5 } as const
const directory = (entries: readonly Buffer[]): Buffer =>
  Buffer.concat([short(entries.length), ...entries, long(0)])

/**
 * TIFF, big-endian: the first directory at 8, the position's directory behind it, then the two values of the
 * position.
 */
function exifOf(position: Buffer): Buffer {
  const positionAt = 8 + 2 + 2 * 12 + 4
  const valuesAt = positionAt + 2 + 4 * 12 + 4
  const turnRight = 6
  const main = directory([
    entry(0x0112, types.short, 1, short(turnRight)),
    entry(0x8825, types.long, 1, long(positionAt)),
  ])
  const gps = directory([
    entry(0x0001, types.ascii, 2, Buffer.from('N\0')),
    entry(0x0002, types.rational, 3, long(valuesAt)),
    entry(0x0003, types.ascii, 2, Buffer.from('W\0')),
    entry(0x0004, types.rational, 3, long(valuesAt + 24)),
  ])
  return Buffer.concat([Buffer.from('Exif\0\0MM\0*'), long(8), main, gps, position])
}

/**
 * A code table with two codes of one bit and two bits, so that a block of uniform grey is `0` and `0`: DC 0, end of
 * block.
 */
const codes = (kind: number, values: readonly number[]): Buffer =>
  segment(0xc4, Buffer.from([kind, 1, 1, ...Array.from({ length: 14 }, () => 0), ...values]))

/** @param word makes the photo unique, since the same bytes may return the same image. */
export function makeOwnPhoto(word: string): OwnPhoto {
  const position = rationals(45, 30, 0, 122, 15, 0)
  const comment = Buffer.from(`waymark verify ${word}`)
  const blocks = (ownPhotoSides.width / 8) * (ownPhotoSides.height / 8)
  const { width, height } = ownPhotoSides
  const frame = Buffer.concat([Buffer.from([8]), short(height), short(width), Buffer.from([1, 1, 0x11, 0])])
  const bytes = Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe1, exifOf(position)),
    segment(0xfe, comment),
    segment(0xdb, Buffer.concat([Buffer.from([0]), Buffer.alloc(64, 1)])),
    segment(0xc0, frame),
    codes(0x00, [0, 1]),
    codes(0x10, [0, 1]),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.alloc((blocks * 2) / 8),
    Buffer.from([0xff, 0xd9]),
  ])
  return { bytes, position, comment }
}
