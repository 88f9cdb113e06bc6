// One gzip stream, joined from chunks that were compressed separately.
//
// Each chunk is deflated without reference to earlier ones and flushed to a byte boundary, so chunks can follow each
// other in one stream in any order. Separate gzip members would be simpler, but not every client reads more than the
// first (curl before 8.12 fails, zlib's own inflate stops). What remains is the CRC of the whole, computed from those
// of the chunks.
import { promisify } from 'node:util'
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib'

export interface DeflatedPiece {
  readonly bytes: Buffer
  /** Uncompressed length. */
  readonly crc: number
  readonly length: number
  /** The factor that appends this chunk's CRC to that of what precedes it. */
  readonly shift: number
}

const level = 6
const finishFlush = constants.Z_SYNC_FLUSH
/** The loop has a hand in every chunk. */
const chunkSize = 64 * 1024

/** No name, no time, no system. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
/** An empty block that is the last. */
const lastBlock = Buffer.from([3, 0])

const polynomial = 0xedb88320

/** The product of two polynomials over GF(2), modulo that of the CRC; the highest bit is the lowest power. */
function product(one: number, other: number): number {
  let sum = 0
  let shifted = other
  for (let bit = 31; bit >= 0; bit -= 1) {
    if ((one >>> bit) & 1) sum ^= shifted
    shifted = shifted & 1 ? (shifted >>> 1) ^ polynomial : shifted >>> 1
  }
  return sum >>> 0
}

const unity = 0x80000000
const toTheEighth = 0x00800000

/** The effect of this many following bytes on a CRC: x to the power of their bits. */
function powerOfBytes(bytes: number): number {
  let power = unity
  let square = toTheEighth
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) power = product(power, square)
    square = product(square, square)
  }
  return power
}

const describe = (deflated: Buffer, bytes: Buffer): DeflatedPiece => ({
  bytes: deflated,
  crc: crc32(bytes),
  length: bytes.length,
  shift: powerOfBytes(bytes.length),
})

export async function deflatePiece(bytes: Buffer): Promise<DeflatedPiece> {
  const deflated = await promisify(deflateRaw)(bytes, { level, finishFlush, chunkSize })
  // A copy, since the result would retain the rest of its buffer.
  return describe(Buffer.from(deflated), bytes)
}

/** Synchronous, for texts of a few characters. */
export const deflateShort = (bytes: Buffer): DeflatedPiece =>
  describe(deflateRawSync(bytes, { level, finishFlush }), bytes)

/** @returns the buffers to send, in order. */
export function joinGzip(pieces: readonly DeflatedPiece[]): Buffer[] {
  let crc = 0
  let length = 0
  for (const piece of pieces) {
    crc = (product(crc, piece.shift) ^ piece.crc) >>> 0
    length += piece.length
  }
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc, 0)
  trailer.writeUInt32LE(length % 2 ** 32, 4)
  return [header, ...pieces.map(({ bytes }) => bytes), lastBlock, trailer]
}
