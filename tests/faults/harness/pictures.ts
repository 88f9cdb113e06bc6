// Small, distinct uploads, generated in microseconds, since a load needs thousands.
import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'

const width = 40
const height = 30
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const whole = Buffer.alloc(body.length + 8)
  whole.writeUInt32BE(data.length, 0)
  body.copy(whole, 4)
  whole.writeUInt32BE(crc32(body), body.length + 4)
  return whole
}

/** Deterministic noise (xorshift32). */
function noise(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length)
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1
  for (let at = 0; at < length; at += 1) {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    bytes[at] = state
  }
  return bytes
}

/** A distinct PNG of 40 × 30 pixels; with `rows` a taller one, 120 bytes per row. */
export function smallPng(seed: number, rows = height): Buffer {
  const pixels = noise(rows * (1 + width * 3), seed)
  for (let row = 0; row < rows; row += 1) pixels[row * (1 + width * 3)] = 0 // filter type of the row: none
  pixels.writeUInt32BE(seed >>> 0, 1) // noise might repeat, the seed does not
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(rows, 4)
  header.set([8, 2], 8)
  const data = deflateSync(pixels, { level: 1 })
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
