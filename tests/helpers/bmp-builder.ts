// Builds BMP files of every version from a recipe, valid or invalid.
import { cleanIccProfile } from '../../src/imaging/formats/icc/icc-profile.ts'
import { fixed, makeIcc } from './icc-fixtures.ts'

export interface BmpRecipe {
  /** Length of the DIB header, which is its version. */
  readonly headerBytes: number
  readonly width: number
  /** Negative if the top row comes first. */
  readonly height: number
  readonly bits: number
  readonly compression?: number
  /** Masks for red, green, blue and, if there are four, alpha. */
  readonly masks?: readonly number[]
  /** Entries as 0xrrggbb. */
  readonly palette?: readonly number[]
  /** Bytes between the palette and the pixels. */
  readonly gap?: Uint8Array
  /** The encoded pixels as stored in the file. */
  readonly pixels: Uint8Array
  /** Bytes after the pixels. */
  readonly tail?: Uint8Array
  /** 32-bit fields by file offset, written last: invalid values, colour spaces, profiles. */
  readonly fields?: Readonly<Record<number, number>>
}

export function makeBmp(recipe: BmpRecipe): Uint8Array {
  const { headerBytes, width, height, bits, masks = [], palette = [], pixels } = recipe
  const { compression = 0, gap = new Uint8Array(), tail = new Uint8Array() } = recipe
  const entryBytes = headerBytes === 12 ? 3 : 4
  const headersEnd = Math.max(14 + headerBytes, masks.length > 0 ? 54 + 4 * masks.length : 0)
  const paletteEnd = headersEnd + palette.length * entryBytes
  const pixelOffset = paletteEnd + gap.length
  const file = new Uint8Array(pixelOffset + pixels.length + tail.length)
  const view = new DataView(file.buffer)
  file.set([0x42, 0x4d])
  view.setUint32(2, file.length, true)
  view.setUint32(10, pixelOffset, true)
  view.setUint32(14, headerBytes, true)
  if (headerBytes === 12) {
    for (const [index, value] of [width, height, 1, bits].entries())
      view.setUint16(18 + 2 * index, value, true)
  } else {
    view.setInt32(18, width, true)
    view.setInt32(22, height, true)
    view.setUint16(26, 1, true)
    view.setUint16(28, bits, true)
  }
  if (headerBytes >= 40) {
    view.setUint32(30, compression, true)
    view.setUint32(34, pixels.length, true)
    view.setUint32(46, palette.length, true)
  }
  for (const [index, mask] of masks.entries()) view.setUint32(54 + 4 * index, mask, true)
  for (const [index, colour] of palette.entries()) {
    const entry = headersEnd + index * entryBytes
    file.set([colour & 255, (colour >>> 8) & 255, colour >>> 16], entry)
  }
  file.set(gap, paletteEnd)
  file.set(pixels, pixelOffset)
  file.set(tail, pixelOffset + pixels.length)
  for (const [offset, value] of Object.entries(recipe.fields ?? {}))
    view.setUint32(Number(offset), value, true)
  return file
}

/** Packs uncompressed rows, padded to four bytes. `valueAt` counts `y` from the top. */
export function packRows(
  { width, height, bits }: { width: number; height: number; bits: number },
  valueAt: (x: number, y: number) => number,
): Uint8Array {
  const rowBytes = Math.ceil((width * bits) / 32) * 4
  const rows = Math.abs(height)
  const packed = new Uint8Array(rowBytes * rows)
  for (let y = 0; y < rows; y += 1) {
    const start = (height < 0 ? y : rows - 1 - y) * rowBytes
    for (let x = 0; x < width; x += 1) {
      const value = valueAt(x, y)
      if (bits < 8) {
        const at = start + Math.floor((x * bits) / 8)
        packed[at] = (packed[at] ?? 0) | (value << (8 - bits - ((x * bits) % 8)))
      } else {
        for (let byte = 0; byte < bits / 8; byte += 1) {
          packed[start + (x * bits) / 8 + byte] = Math.floor(value / 256 ** byte) % 256
        }
      }
    }
  }
  return packed
}

/** A small linear colour profile as served, that is, after cleaning. */
export function makeProfile(): Uint8Array {
  const xyz = (...values: readonly number[]): Buffer =>
    Buffer.concat([Buffer.from('XYZ \0\0\0\0', 'latin1'), fixed(...values)])
  const curve = Buffer.from('curv\0\0\0\0\0\0\0\0', 'latin1')
  const profile = cleanIccProfile(
    makeIcc([
      { name: 'wtpt', data: xyz(0.9642, 1, 0.8249) },
      { name: 'rXYZ', data: xyz(0.436, 0.2225, 0.0139) },
      { name: 'gXYZ', data: xyz(0.3851, 0.7169, 0.0971) },
      { name: 'bXYZ', data: xyz(0.1431, 0.0606, 0.7141) },
      ...['rTRC', 'gTRC', 'bTRC'].map((name) => ({ name, data: curve })),
    ]),
  )
  if (profile === undefined) throw new Error('the profile of the fixtures is none')
  return profile
}
