// Makes the small sizes of an image from one decode.
import { imageSizes, sizeRules, type ImageSize, type SizeRule } from '../shared/image-sizes.ts'
import { refuse } from '../errors.ts'
import { fromColourSpace, fromInks, withProfile } from './colour-convert.ts'
import type { ContainerType } from './container-parts.ts'
import { freeBytes } from './free-bytes.ts'
import type { ColourSpace } from './colour-space.ts'
import {
  fromPixels,
  hasAlpha,
  pixelLimit,
  sentenceFor,
  sharp,
  toPixels,
  withoutIdleAlpha,
  type Pixels,
  type Sharp,
} from './decoder.ts'
import { dhashOf } from './dhash.ts'

export type { Pixels } from './decoder.ts'

/** What is decoded: a file that the container walk found whole, to the last bit of a JPEG's coded data, or pixels that our BMP decoder made. */
export type Source =
  | {
      readonly kind: 'file'
      readonly type: ContainerType
      readonly bytes: Uint8Array
      /** Upright size in pixels. */
      readonly width: number
      readonly height: number
      /** What the colours are in place of what the decoder takes them for. */
      readonly colourSpace?: ColourSpace | undefined
      /** Whether it has 16 bits a sample. */
      readonly isDeep?: boolean
      /** Whether its colours are inks, and nothing says what they look like. */
      readonly isPlainCmyk?: boolean
    }
  | {
      readonly kind: 'pixels'
      readonly data: Uint8Array
      readonly width: number
      readonly height: number
      readonly channels: 3 | 4
      /** What its colours are where they are not sRGB: one of the two, or none. */
      readonly colourSpace?: ColourSpace | undefined
      readonly profile?: Uint8Array | undefined
    }

export interface SmallRendition {
  /** Size and format, such as `sm.jpeg`. */
  readonly name: string
  readonly bytes: Uint8Array
}

type SmallRule = Exclude<SizeRule, { fit: 'whole' }>

const smallSizes = imageSizes.flatMap((size): { size: ImageSize; rule: SmallRule }[] => {
  const rule = sizeRules[size]
  return rule.fit === 'whole' ? [] : [{ size, rule }]
})

function largestSide(fit: SmallRule['fit']): number {
  return Math.max(...smallSizes.filter(({ rule }) => rule.fit === fit).map(({ rule }) => rule.sidePx))
}
const largestInside = largestSide('inside')
const largestSquare = largestSide('square')

/**
 * The size of the picture that all small sizes are cut from: just large enough for the largest of them, which for an
 * extreme panorama is the square, cut from its short side.
 */
function baseSize(width: number, height: number): { width: number; height: number } {
  const forInside = largestInside / Math.max(width, height)
  const forSquare = largestSquare / Math.min(width, height)
  const scale = Math.min(1, Math.max(forInside, forSquare))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** What a JPEG decoder only warns of is no reason to refuse: the walk has found that no part of the picture is missing. */
function openSource(source: Source): Sharp {
  if (source.kind === 'pixels') {
    const { data, width, height, channels } = source
    return sharp(data, { raw: { width, height, channels }, limitInputPixels: pixelLimit })
  }
  return sharp(source.bytes, {
    failOn: 'error',
    limitInputPixels: pixelLimit,
    autoOrient: true,
    sequentialRead: true,
    ignoreIcc: source.colourSpace !== undefined,
  })
}

/** The one decode: validates the whole file, turns it upright and into sRGB, and shrinks it. */
async function decodeBase(source: Source): Promise<Pixels> {
  const { width, height } = baseSize(source.width, source.height)
  const { colourSpace } = source
  if (colourSpace !== undefined) {
    const isDeep = source.kind === 'file' && source.isDeep === true
    const opened = openSource(source).toColourspace(isDeep ? 'rgb16' : 'srgb')
    const image = opened.resize({ width, height, fit: 'fill' }).raw({ depth: isDeep ? 'ushort' : 'uchar' })
    const { data, info } = await image.toBuffer({ resolveWithObject: true })
    const samples = isDeep ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data
    return fromColourSpace(colourSpace, { samples, ...info })
  }
  if (source.kind === 'file' && source.isPlainCmyk === true) {
    // Converted when they are few: libvips would take them for those of a printing press.
    const inks = openSource(source).pipelineColourspace('cmyk').toColourspace('cmyk')
    const { data, ...size } = await toPixels(inks.resize({ width, height, fit: 'fill' }))
    return fromInks({ samples: data, ...size })
  }
  const pixels = await toPixels(
    openSource(source).toColourspace('srgb').resize({ width, height, fit: 'fill' }),
  )
  if (source.kind === 'file' || source.profile === undefined) return pixels
  return toPixels(sharp(withProfile(pixels, source.profile)).toColourspace('srgb'))
}

/** A size as pixels, to be written in one format or more. */
export interface Cut {
  readonly size: ImageSize
  readonly pixels: Pixels
}

/** Whether a picture has all the pixels that the rule would take of a larger one. */
function isEnoughFor({ fit, sidePx }: SmallRule, { width, height }: Pixels): boolean {
  return (fit === 'square' ? Math.min(width, height) : Math.max(width, height)) >= sidePx
}

/** Cuts from a smaller picture what would be the same cut from the base, at a fraction of the work. */
function cut(base: Pixels, smaller: Pixels, { fit, sidePx }: SmallRule): Promise<Pixels> {
  if (fit === 'square') {
    // Enlarges a small picture (C25).
    const box = { width: sidePx, height: sidePx, fit: 'cover', position: 'centre' } as const
    return toPixels(fromPixels(smaller).resize(box))
  }
  const scale = sidePx / Math.max(base.width, base.height)
  if (scale >= 1) return Promise.resolve(base)
  // Of the base, as what was rounded once would be rounded again.
  const [width, height] = [base.width, base.height].map((side) => Math.max(1, Math.round(side * scale)))
  return toPixels(fromPixels(smaller).resize({ width, height, fit: 'fill' }))
}

/** All small sizes, the largest first, each cut from the smallest before it that is large enough. */
export async function cutSmallSizes(base: Pixels): Promise<Cut[]> {
  const cuts: Cut[] = []
  for (const { size, rule } of smallSizes.toReversed()) {
    const larger = cuts.findLast(({ size: name, pixels }) => {
      const { fit } = sizeRules[name]
      return fit === 'inside' && isEnoughFor(rule, pixels)
    })
    cuts.push({ size, pixels: await cut(base, larger?.pixels ?? base, rule) })
  }
  return cuts
}

/**
 * Pixels from which on a JPEG is written with the Huffman tables of the standard: tables of its own make it 3 % smaller and
 * take twice the time, and progressive coding 6 % for four times. Below they are 5 to 18 % for next to no time.
 */
const minStandardTables = 100_000

/** JPEG, or PNG where there is transparency (contract C26). */
export async function encodePlain({ size, pixels }: Cut): Promise<SmallRendition> {
  const image = fromPixels(pixels)
  if (hasAlpha(pixels)) {
    return { name: `${size}.png`, bytes: await image.png({ compressionLevel: 6 }).toBuffer() }
  }
  const optimiseCoding = pixels.width * pixels.height < minStandardTables
  return { name: `${size}.jpeg`, bytes: await image.jpeg({ quality: 80, optimiseCoding }).toBuffer() }
}

/** WebP, for whoever asks for it (contract C26). */
async function encodeWebp({ size, pixels }: Cut): Promise<SmallRendition> {
  const bytes = await fromPixels(pixels).webp({ quality: 80, effort: 2 }).toBuffer()
  return { name: `${size}.webp`, bytes }
}

/**
 * The picture that all small sizes are cut from, with so little loss that WebP made of it looks as if it were made of the
 * upload: kept for that, and never shown. Where there is transparency, size 640 has lost nothing and does as well.
 */
async function encodeBase(base: Pixels, cuts: readonly Cut[]): Promise<SmallRendition[]> {
  const image = fromPixels(base)
  if (!hasAlpha(base)) {
    const options = { quality: 90, chromaSubsampling: '4:4:4', optimiseCoding: false }
    return [{ name: 'base.jpeg', bytes: await image.jpeg(options).toBuffer() }]
  }
  if (cuts.some(({ pixels }) => pixels === base)) return []
  return [{ name: 'base.png', bytes: await image.png({ compressionLevel: 6 }).toBuffer() }]
}

export interface SmallSizes {
  /** In the format that is not asked for, and what WebP is made of. */
  readonly sizes: readonly SmallRendition[]
  /** 16 hex digits by which near-duplicates are found. */
  readonly dhash: string
}

/**
 * The picture that all small sizes are cut from.
 * @throws refusal `broken-image` where the file cannot be decoded whole.
 */
export async function makeBase(source: Source): Promise<Pixels> {
  try {
    return await withoutIdleAlpha(await decodeBase(source))
  } catch (error) {
    throw refuse('broken-image', { detail: sentenceFor(error), cause: error })
  }
}

/**
 * Makes all small sizes from one decode.
 * @throws refusal `broken-image` where the file cannot be decoded whole.
 */
export async function makeSmallSizes(source: Source): Promise<SmallSizes> {
  const base = await makeBase(source)
  const dhash = dhashOf(base)
  const cuts = await cutSmallSizes(base)
  const sizes: SmallRendition[] = []
  for (const one of cuts) sizes.push(await encodePlain(one))
  sizes.push(...(await encodeBase(base, cuts)))
  for (const { data } of [base, ...cuts.map(({ pixels }) => pixels)]) freeBytes(data)
  return { sizes, dhash }
}

/**
 * Makes all small sizes in WebP.
 * @param kept what `makeSmallSizes` made for this.
 * @throws what the decoder says where it is anything else.
 */
export async function makeWebpSizes(kept: Uint8Array): Promise<SmallRendition[]> {
  const base = await toPixels(sharp(kept, { limitInputPixels: pixelLimit }))
  const sizes: SmallRendition[] = []
  for (const one of await cutSmallSizes(base)) sizes.push(await encodeWebp(one))
  return sizes
}
