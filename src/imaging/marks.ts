// Makes the logo and icons of a site from an upload: decoded, drawn again, and encoded as PNG.
import { refuse } from '../errors.ts'
import { fromPixels, hasAlpha, sentenceFor, type Pixels, type Sharp } from './decoder.ts'
import type { ImageLimits } from './image-limits.ts'
import { inspect } from './inspect.ts'
import { makeBase } from './resize.ts'

/** Pixels of an icon's side: for a tab, a phone's home screen, and its splash. */
export const iconSides = [48, 192, 512] as const

export interface Mark {
  readonly kind: 'logo' | 'icon'
  readonly width: number
  readonly height: number
  /** A PNG. */
  readonly bytes: Uint8Array
}

/** Twice what a page shows at most; at 4 bytes a pixel, 240 KiB. */
const logoBox = { width: 480, height: 128 } as const

/** No logo needs as many pixels as a photo may have. */
const maxPixels = 16_000_000

const clear = { r: 0, g: 0, b: 0, alpha: 0 } as const

async function encoded(kind: Mark['kind'], image: Sharp): Promise<Mark> {
  const { data, info } = await image.toBuffer({ resolveWithObject: true })
  return { kind, width: info.width, height: info.height, bytes: data }
}

const withAlpha = (pixels: Pixels): Sharp =>
  hasAlpha(pixels) ? fromPixels(pixels) : fromPixels(pixels).ensureAlpha()

async function cutMarks(base: Pixels): Promise<Mark[]> {
  const logo = fromPixels(base).resize({ ...logoBox, fit: 'inside', withoutEnlargement: true })
  const marks = [await encoded('logo', logo.png({ compressionLevel: 9 }))]
  for (const side of iconSides) {
    const icon = withAlpha(base).resize({ width: side, height: side, fit: 'contain', background: clear })
    // With a palette even the largest takes at most a byte per pixel.
    marks.push(await encoded('icon', icon.png({ compressionLevel: 9, palette: true })))
  }
  return marks
}

/**
 * The logo, and an icon of each side.
 * @throws refusals `unsupported-image-type`, `image-dimensions-too-large`, `broken-image`.
 */
export async function drawMarks(bytes: Uint8Array, limits: ImageLimits): Promise<Mark[]> {
  const { source } = await inspect(bytes, { ...limits, maxPixels: Math.min(maxPixels, limits.maxPixels) })
  const base = await makeBase(source)
  try {
    return await cutMarks(base)
  } catch (error) {
    throw refuse('broken-image', { detail: sentenceFor(error), cause: error })
  }
}
