// The parts of an image file besides its coded picture, where a user's text could remain.
import type { ImageFormat } from '../../src/shared/formats/image-formats.ts'

type Stretch = readonly [from: number, to: number]

/** Segments that contain only numbers needed for decoding: tables, frames, restart intervals, the profile. */
function isPartOfPicture(jpeg: Buffer, marker: number, body: number): boolean {
  const isFrameOrTable = marker >= 0xc0 && marker <= 0xcf
  const isProfile = marker === 0xe2 && jpeg.toString('latin1', body, body + 12) === 'ICC_PROFILE\0'
  return isFrameOrTable || isProfile || marker === 0xdb || marker === 0xdd || marker === 0xdc
}

function* codedInJpeg(jpeg: Buffer): Generator<Stretch> {
  let at = 2
  while (at + 4 <= jpeg.length) {
    const marker = jpeg[at + 1] ?? 0
    const body = at + 4
    let next = at + 2 + jpeg.readUInt16BE(at + 2)
    if (marker === 0xda) {
      while (next < jpeg.length && (jpeg[next] !== 0xff || isInScan(jpeg[next + 1] ?? 0))) next += 1
      yield [body, next]
    } else if (isPartOfPicture(jpeg, marker, body)) yield [body, next]
    if (next <= at) return
    at = next
  }
}

const isInScan = (code: number): boolean => code === 0 || (code >= 0xd0 && code <= 0xd7)

function* codedInPng(png: Buffer): Generator<Stretch> {
  const coded = new Set(['IHDR', 'PLTE', 'IDAT', 'fdAT', 'tRNS', 'iCCP', 'cHRM', 'bKGD'])
  for (let at = 8; at + 12 <= png.length; at += 12 + png.readUInt32BE(at)) {
    const end = at + 8 + png.readUInt32BE(at)
    // The checksum of metadata that is gone is gone with it; that of coded data may spell anything.
    if (coded.has(png.toString('latin1', at + 4, at + 8))) yield [at + 8, end + 4]
  }
}

/** The header's colour table, then every frame and a profile. A GIF does not say how many frames it has. */
export function* codedInGif(gif: Buffer): Generator<Stretch> {
  const table = (flags: number): number => (flags < 128 ? 0 : 3 * 2 ** ((flags % 8) + 1))
  let at = 13 + table(gif[10] ?? 0)
  yield [13, at]
  while (at < gif.length && gif[at] !== 0x3b) {
    const isFrame = gif[at] === 0x2c
    const start = at
    at += isFrame ? 11 + table(gif[at + 9] ?? 0) : 2
    while ((gif[at] ?? 0) > 0) at += 1 + (gif[at] ?? 0)
    at += 1
    const isProfile = gif.toString('latin1', start + 3, start + 14) === 'ICCRGBG1012'
    if (isFrame || isProfile) yield [start + 10, at]
  }
}

/** Palette, pixels and profile; only the headers could contain a field of text. */
function* codedInBmp(bmp: Buffer): Generator<Stretch> {
  yield [14 + bmp.readUInt32LE(14), bmp.length]
}

const coded = { jpeg: codedInJpeg, png: codedInPng, gif: codedInGif, bmp: codedInBmp } as const

/** The file without its coded picture. Only for served files, whose structure is valid. */
export function uncodedOf(file: Buffer, type: ImageFormat): Buffer {
  const parts: Buffer[] = []
  let from = 0
  for (const [start, end] of coded[type](file)) {
    parts.push(file.subarray(from, start))
    from = end
  }
  return Buffer.concat([...parts, file.subarray(from)])
}
