// The use of sharp: the formats it may read, and pixels in and out. The only file that imports it.
import sharp, { type Sharp } from 'sharp'
import type { ConvertedFormat } from '../shared/formats/converted-formats.ts'
import type { ContainerType } from './container-parts.ts'

// One job decodes on one thread (the pool runs a job per core), and nothing of one image stays for the next.
sharp.concurrency(1)
sharp.cache(false)
// libvips reads far more formats than we accept: those decoders must be unreachable even if a check has missed
// something.
sharp.block({ operation: ['VipsForeignLoad'] })
const loaders = {
  jpeg: 'VipsForeignLoadJpeg',
  png: 'VipsForeignLoadPng',
  gif: 'VipsForeignLoadNsgif',
  webp: 'VipsForeignLoadWebp',
  avif: 'VipsForeignLoadHeif',
} as const satisfies Record<ContainerType | Exclude<ConvertedFormat, 'heic'>, string>
sharp.unblock({ operation: Object.values(loaders) })

export { sharp, type Sharp }

/** Only a second line of defence: the header was checked against the limits of the settings, which are never higher. */
export const pixelLimit = 100_000_000

export interface Pixels {
  readonly data: Buffer
  readonly width: number
  readonly height: number
  readonly channels: 1 | 2 | 3 | 4
}

export const hasAlpha = ({ channels }: Pixels): boolean => channels === 2 || channels === 4

export async function toPixels(image: Sharp): Promise<Pixels> {
  const { data, info } = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: info.channels }
}

export function fromPixels({ data, width, height, channels }: Pixels): Sharp {
  return sharp(data, { raw: { width, height, channels }, limitInputPixels: pixelLimit })
}

/** Drops an alpha channel that is opaque everywhere, so that such a picture becomes a JPEG. */
export async function withoutIdleAlpha(pixels: Pixels): Promise<Pixels> {
  if (!hasAlpha(pixels)) return pixels
  const { isOpaque } = await fromPixels(pixels).stats()
  return isOpaque ? toPixels(fromPixels(pixels).removeAlpha()) : pixels
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : ''
}

function endsEarly(error: unknown): boolean {
  return /premature end|truncated|end of (file|input|stream)|not enough/i.test(messageOf(error))
}

/** libvips speaks to programmers, and often says only "Unknown error". */
export function sentenceFor(error: unknown): string {
  if (endsEarly(error)) return 'Its pixel data is truncated.'
  if (/profile/i.test(messageOf(error))) return 'Its colour profile cannot be applied.'
  return 'Its pixel data is damaged.'
}
