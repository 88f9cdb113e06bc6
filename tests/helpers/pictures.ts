// Generated pictures. The project commits no real person's photos.
import sharp, { type Sharp, type SharpOptions } from 'sharp'

/** sharp for served pictures: the server, in the same process, blocks formats that it does not read, such as WebP. */
export function openPicture(bytes: Uint8Array, options: SharpOptions = {}): Sharp {
  sharp.unblock({ operation: ['VipsForeignLoadWebp'] })
  return sharp(bytes, options)
}

/** Blobs stored per photo: size lg, the remainder of the upload, and the small sizes. */
export const blobsOfPhoto = 3

export interface PictureOptions {
  readonly width?: number
  readonly height?: number
  /** Different seeds give different pictures. */
  readonly seed?: number
}

/** A gradient with a bright top left corner, so that a wrong rotation or crop is visible. */
function pixels({ width = 400, height = 300, seed = 0 }: PictureOptions): {
  data: Buffer
  width: number
  height: number
} {
  const data = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const isCorner = x < width / 4 && y < height / 4
      const at = (y * width + x) * 3
      data[at] = isCorner ? 255 : (x * 200) / width + (seed % 50)
      data[at + 1] = isCorner ? 255 : (y * 200) / height
      data[at + 2] = (seed * 7) % 200
    }
  }
  return { data, width, height }
}

function picture(options: PictureOptions) {
  const { data, width, height } = pixels(options)
  return sharp(data, { raw: { width, height, channels: 3 } })
}

export const jpegPicture = (options: PictureOptions = {}): Promise<Buffer> =>
  picture(options).jpeg().toBuffer()
export const pngPicture = (options: PictureOptions = {}): Promise<Buffer> => picture(options).png().toBuffer()
export const gifPicture = (options: PictureOptions = {}): Promise<Buffer> => picture(options).gif().toBuffer()
export const webpPicture = (options: PictureOptions = {}): Promise<Buffer> =>
  picture(options).webp().toBuffer()

/**
 * A BMP with so many scattered bytes outside its pixels that size lg plus a list of these bytes would be too large. It is
 * stored as uploaded.
 */
export function bmpStoredWhole({ width = 300, height = 200, seed = 0 }: PictureOptions = {}): Buffer {
  const file = Buffer.alloc(54 + width * height * 4)
  file.write('BM')
  file.writeUInt32LE(file.length, 2)
  for (const [at, value] of [
    [10, 54],
    [14, 40],
    [18, width],
    [22, height],
  ] as const)
    file.writeUInt32LE(value, at)
  file.writeUInt16LE(1, 26)
  file.writeUInt16LE(32, 28)
  for (let at = 54; at < file.length; at += 4) {
    file[at] = (at + seed) % 251
    if (at % 20 < 4) file[at + 3] = 1 + (at % 250)
  }
  return file
}

/** A PNG whose right half is transparent. */
export async function transparentPng({ width = 400, height = 300 }: PictureOptions = {}): Promise<Buffer> {
  const half = Buffer.alloc(width * height * 4)
  for (let at = 0; at < half.length; at += 4)
    half.set([200, 40, 40, (at / 4) % width < width / 2 ? 255 : 0], at)
  return sharp(half, { raw: { width, height, channels: 4 } })
    .png()
    .toBuffer()
}
