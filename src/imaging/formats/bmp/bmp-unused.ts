// Clears bits in the pixel data of a BMP that belong to no pixel, and reports which colours pixels use.
import type { BmpHeader } from './bmp-header.ts'
import { walkRle } from './bmp-rle.ts'
import { rowBytes } from './bmp.ts'

/**
 * Changes `file`, whose pixel data was found complete: zeroes the padding of rows and RLE codes, and pixel bits
 * outside all masks.
 * @returns a flag for each colour of the palette, set if a pixel uses it.
 */
export function clearUnusedBits(file: Uint8Array, header: BmpHeader): Uint8Array {
  const used = new Uint8Array(256)
  if (header.coding !== 'plain') clearRle(file, header, used)
  else if (header.bits <= 8) clearIndexed(file, header, used)
  else clearDirect(file, header)
  return used
}

function clearIndexed(file: Uint8Array, header: BmpHeader, used: Uint8Array): void {
  const { width, height, bits } = header
  const stride = rowBytes(header)
  const whole = Math.floor((width * bits) / 8)
  const spareBits = Math.ceil((width * bits) / 8) * 8 - width * bits
  const seen = new Uint8Array(256)
  const mask = 2 ** bits - 1
  const mark = (value: number, from: number): void => {
    for (let shift = 8 - bits; shift >= from; shift -= bits) used[(value >>> shift) & mask] = 1
  }
  for (let y = 0; y < height; y += 1) {
    const start = header.pixelOffset + y * stride
    for (let at = start; at < start + whole; at += 1) seen[file[at] ?? 0] = 1
    let end = start + whole
    if (spareBits > 0) {
      const last = (file[end] ?? 0) & ((255 << spareBits) & 255)
      file[end] = last
      mark(last, spareBits)
      end += 1
    }
    file.fill(0, end, start + stride)
  }
  for (const [value, isSeen] of seen.entries()) if (isSeen === 1) mark(value, 0)
}

function clearDirect(file: Uint8Array, header: BmpHeader): void {
  const { width, height, bits, masks } = header
  const stride = rowBytes(header)
  const pixelBytes = bits / 8
  const taken = masks === undefined ? -1 : masks.red | masks.green | masks.blue | masks.alpha
  const all = bits === 16 ? 0xffff : -1
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  for (let y = 0; y < height; y += 1) {
    const start = header.pixelOffset + y * stride
    const end = start + width * pixelBytes
    file.fill(0, end, start + stride)
    if (bits === 24 || (taken & all) === all) continue
    for (let at = start; at < end; at += pixelBytes) {
      if (bits === 16) view.setUint16(at, view.getUint16(at, true) & taken, true)
      else view.setUint32(at, (view.getUint32(at, true) & taken) >>> 0, true)
    }
  }
}

/** Codes are padded to an even number of bytes, and in RLE4 the last byte may hold a single pixel. */
function clearRle(file: Uint8Array, header: BmpHeader, used: Uint8Array): void {
  const isPacked = header.coding === 'rle4'
  const mark = (value: number, isPair: boolean): void => {
    if (!isPacked) {
      used[value] = 1
      return
    }
    used[value >>> 4] = 1
    if (isPair) used[value & 15] = 1
  }
  walkRle(file, header, {
    paintRun: (_x, _y, count, pair) => {
      if (count > 0) mark(pair, count > 1)
    },
    // An empty run cannot be encoded, so it becomes one pixel of colour 0, which is not visible either.
    cutRun: (at, shown) => {
      file[at] = Math.max(1, shown)
      if (shown === 0) file[at + 1] = 0
    },
    paintLiteral: (_x, _y, count, start) => {
      const coded = isPacked ? (count + 1) >>> 1 : count
      if (isPacked && count % 2 === 1) file[start + coded - 1] = (file[start + coded - 1] ?? 0) & 0xf0
      if (coded % 2 === 1) file[start + coded] = 0
      for (let at = start; at < start + coded; at += 1)
        mark(file[at] ?? 0, at < start + coded - 1 || count % 2 === 0)
    },
  })
}
