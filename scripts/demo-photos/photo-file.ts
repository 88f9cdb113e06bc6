// Encodes painted pixels as cameras and programs do: JPEG with EXIF, PNG, animated GIF, BMP.
import sharp, { type Exif, type Sharp } from 'sharp'

// Loading sharp again resets the process-wide concurrency of imaging/resize.ts, so it is set again.
sharp.concurrency(1)
sharp.cache(false)

/** Pixels from the top left: RGB or RGBA. */
export interface Picture {
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
}

/** Camera metadata, all private except the orientation, to demonstrate that it is removed. */
export interface CameraNotes {
  readonly model: string
  readonly serialNumber: string
  readonly owner: string
  /** In EXIF format: `2026:10:05 07:11:12`. */
  readonly takenAt: string
  readonly position: { readonly lat: number; readonly lon: number } | undefined
}

function fromPixels({ bytes, width, height }: Picture, channels: 3 | 4): Sharp {
  return sharp(bytes, { raw: { width, height, channels } })
}

/** Degrees, minutes and seconds as EXIF fractions. */
function sexagesimal(degrees: number): string {
  const tenMillionths = Math.round(Math.abs(degrees) * 1e7)
  const whole = Math.floor(tenMillionths / 1e7)
  // 1e-7 degrees are 360 millionths of a second. Only integers from here on.
  const millionths = (tenMillionths % 1e7) * 360
  return `${whole}/1 ${Math.floor(millionths / 60e6)}/1 ${millionths % 60e6}/1000000`
}

function exifOf({ model, serialNumber, owner, takenAt, position }: CameraNotes): Exif {
  const exif: Exif = {
    IFD0: { Make: 'Waymark', Model: model, Artist: owner, DateTime: takenAt },
    IFD2: { DateTimeOriginal: takenAt, CameraOwnerName: owner, BodySerialNumber: serialNumber },
  }
  if (!position) return exif
  const { lat, lon } = position
  const gps = {
    GPSLatitudeRef: lat < 0 ? 'S' : 'N',
    GPSLatitude: sexagesimal(lat),
    GPSLongitudeRef: lon < 0 ? 'W' : 'E',
    GPSLongitude: sexagesimal(lon),
  }
  return { ...exif, IFD3: gps }
}

export interface JpegOptions {
  /** Pixels of the file; it may have been painted smaller. */
  readonly width: number
  readonly height: number
  readonly notes: CameraNotes
  /** Stored rotated by 90°, with the EXIF orientation, as by a camera held upright. */
  readonly isSideways: boolean
  readonly isBlurred: boolean
}

export function jpegFile(picture: Picture, options: JpegOptions): Promise<Buffer> {
  const { width, height, notes, isSideways, isBlurred } = options
  let image = fromPixels(picture, 3).resize({ width, height, fit: 'fill' })
  if (isSideways) image = image.rotate(270)
  if (isBlurred) image = image.blur(11)
  image = image.withExif(exifOf(notes))
  if (isSideways) image = image.withMetadata({ orientation: 6 })
  return image.jpeg({ quality: 82 }).toBuffer()
}

const ringColour = [236, 226, 200] as const

/** A round badge with a pale rim on a transparent background. */
export function badgeFile({ bytes, width, height }: Picture): Promise<Buffer> {
  const rgba = new Uint8Array(width * height * 4)
  const radius = Math.min(width, height) / 2 - 2
  for (let index = 0; index < width * height; index += 1) {
    const fromMiddle = Math.hypot((index % width) - width / 2, Math.floor(index / width) - height / 2)
    const isRing = fromMiddle > radius * 0.93
    for (let channel = 0; channel < 3; channel += 1)
      rgba[index * 4 + channel] = isRing ? (ringColour[channel] ?? 0) : (bytes[index * 3 + channel] ?? 0)
    rgba[index * 4 + 3] = 255 * Math.min(1, Math.max(0, radius - fromMiddle))
  }
  return fromPixels({ bytes: rgba, width, height }, 4).png().toBuffer()
}

/** @param frames of the same size. */
export function gifFile(frames: readonly Picture[], frameMs: number): Promise<Buffer> {
  const [first] = frames
  if (!first) throw new RangeError('a GIF needs a frame')
  const { width, height } = first
  const raw = { width, height: height * frames.length, channels: 3, pageHeight: height } as const
  return sharp(Buffer.concat(frames.map(({ bytes }) => bytes)), { raw })
    .gif({ loop: 0, delay: frames.map(() => frameMs), colours: 64, effort: 1 })
    .toBuffer()
}

/** An uncompressed 24-bit BMP, bottom row first, as scanners write it; in the brown of an old slide. */
export function oldBmpFile({ bytes, width, height }: Picture): Buffer {
  const rowBytes = Math.ceil((width * 3) / 4) * 4
  const file = Buffer.alloc(54 + rowBytes * height)
  file.write('BM', 0, 'latin1')
  file.writeUInt32LE(file.length, 2)
  file.writeUInt32LE(54, 10) // offset of the pixels
  file.writeUInt32LE(40, 14) // length of this header
  file.writeInt32LE(width, 18)
  file.writeInt32LE(height, 22)
  file.writeUInt16LE(1, 26)
  file.writeUInt16LE(24, 28)
  file.writeUInt32LE(rowBytes * height, 34)
  for (let row = 0; row < height; row += 1) {
    const to = 54 + (height - 1 - row) * rowBytes
    for (let column = 0; column < width; column += 1) {
      const from = (row * width + column) * 3
      const [red = 0, green = 0, blue = 0] = bytes.subarray(from, from + 3)
      const grey = 28 + 0.82 * (0.3 * red + 0.59 * green + 0.11 * blue)
      file[to + column * 3] = Math.min(255, 0.68 * grey)
      file[to + column * 3 + 1] = Math.min(255, 0.9 * grey)
      file[to + column * 3 + 2] = Math.min(255, 1.08 * grey)
    }
  }
  return file
}
