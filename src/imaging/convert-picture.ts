// Makes size lg of a HEIC, AVIF or WebP: full size, upright, sRGB, as a JPEG, or as a PNG if it has transparency (C55).
import { refuse } from '../errors.ts'
import { fromColourSpace, withProfile } from './colour-convert.ts'
import type { ColourSpace } from './colour-space.ts'
import type { WalkedPicture } from './converted.ts'
import {
  fromPixels,
  pixelLimit,
  sentenceFor,
  sharp,
  toPixels,
  withoutIdleAlpha,
  type Pixels,
  type Sharp,
} from './decoder.ts'
import { decodeHeic } from './formats/heif/hevc-decoder.ts'
import type { ImageLimits } from './image-limits.ts'

export interface ConvertedPicture {
  readonly type: 'jpeg' | 'png'
  readonly bytes: Buffer
  readonly width: number
  readonly height: number
}

function openFile(file: Uint8Array, ignoreIcc: boolean): Sharp {
  return sharp(file, {
    failOn: 'error',
    limitInputPixels: pixelLimit,
    autoOrient: true,
    sequentialRead: true,
    ignoreIcc,
  })
}

type Samples = Parameters<typeof fromColourSpace>[1]

/** As they are in the file, 8 bits each or 16. */
async function decodeAsIs(
  { format, file, bytesPerSample, hasAlpha: isRgba }: WalkedPicture,
  limits: ImageLimits,
): Promise<Samples> {
  if (format === 'heic') {
    const bits = bytesPerSample === 2 ? 16 : 8
    return decodeHeic(file, { channels: isRgba ? 4 : 3, bits, maxPixels: limits.maxPixels })
  }
  const isDeep = bytesPerSample === 2
  const image = openFile(file, true).toColourspace(isDeep ? 'rgb16' : 'srgb')
  const { data, info } = await image
    .raw({ depth: isDeep ? 'ushort' : 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const samples = isDeep ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data
  return { samples, width: info.width, height: info.height, channels: info.channels }
}

async function decodeSpace(walked: WalkedPicture, space: ColourSpace, limits: ImageLimits): Promise<Sharp> {
  return fromPixels(await withoutIdleAlpha(fromColourSpace(space, await decodeAsIs(walked, limits))))
}

function decodeHeicPixels({ file, hasAlpha: isRgba }: WalkedPicture, { maxPixels }: ImageLimits): Pixels {
  const { samples, ...size } = decodeHeic(file, { channels: isRgba ? 4 : 3, bits: 8, maxPixels })
  return { data: Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength), ...size }
}

/** Pixels in a decoder at once. */
const stripBytes = 8_000_000

/** Converts pixels to sRGB in place, some rows at a time: a photo of 100 megapixels is 300 MB. */
async function applyProfile(pixels: Pixels, profile: Uint8Array | undefined): Promise<Pixels> {
  if (profile === undefined) return pixels
  const { data, width, channels } = pixels
  const rowBytes = width * channels
  const bytes = Math.max(1, Math.floor(stripBytes / rowBytes)) * rowBytes
  for (let at = 0; at < data.length; at += bytes) {
    const strip = data.subarray(at, at + bytes)
    const file = withProfile({ width, height: strip.length / rowBytes, channels, data: strip }, profile)
    strip.set((await toPixels(openFile(file, false).toColourspace('srgb'))).data)
  }
  return pixels
}

/** What the picture is encoded from, in sRGB. */
async function decode(walked: WalkedPicture, limits: ImageLimits): Promise<Sharp> {
  const { format, file, colourSpace, profile } = walked
  if (colourSpace) return decodeSpace(walked, colourSpace, limits)
  const inSrgb =
    format === 'heic'
      ? fromPixels(await applyProfile(decodeHeicPixels(walked, limits), profile))
      : openFile(file, false).toColourspace('srgb')
  // Only pictures that may be transparent are kept in memory completely, to find out.
  return walked.hasAlpha ? fromPixels(await withoutIdleAlpha(await toPixels(inSrgb))) : inSrgb
}

/** Finer than phones save; the original is kept as well. */
const quality = 90

/** @throws refusal `broken-image` if the file cannot be decoded completely. */
export async function convertPicture(walked: WalkedPicture, limits: ImageLimits): Promise<ConvertedPicture> {
  try {
    const image = await decode(walked, limits)
    const isTransparent = walked.hasAlpha && (await image.metadata()).hasAlpha
    const encoded = isTransparent ? image.png({ compressionLevel: 6 }) : image.jpeg({ quality })
    const { data, info } = await encoded.toBuffer({ resolveWithObject: true })
    return { type: isTransparent ? 'png' : 'jpeg', bytes: data, width: info.width, height: info.height }
  } catch (error) {
    throw refuse('broken-image', { detail: sentenceFor(error), cause: error })
  }
}
