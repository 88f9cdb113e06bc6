// One gzip stream, put together from pieces that were compressed each for itself.
//
// Each piece is deflated without what stood before it, and flushed to the end of a byte: such pieces stand behind one
// another in one stream, in any order. Members of their own would be simpler, but not every client reads more than the
// first (curl before 8.12 fails, zlib's own inflate stops). What is left to do for the whole is its CRC, from theirs.
import { promisify } from 'node:util'
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib'

export interface DeflatedPiece {
  readonly bytes: Buffer
  /** Of the bytes as they were. */
  readonly crc: number
  readonly length: number
  /** What makes the CRC of what stands before it one with its own. */
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

/** What so many bytes that follow make of a CRC: x to the power of their bits. */
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
  // A copy: the rest of what it was written into would be held with it.
  return describe(Buffer.from(deflated), bytes)
}

/** At once: for what is a few characters long. */
export const deflateShort = (bytes: Buffer): DeflatedPiece =>
  describe(deflateRawSync(bytes, { level, finishFlush }), bytes)

/** @returns what is to be sent, one behind the other. */
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
