// The sizes of a photo among which the browser chooses, with their widths.
import type { Image } from '../../../client/client.ts'
import { extensionOf } from '../../../src/shared/formats/image-formats.ts'
import { sizeRules } from '../../../src/shared/image-sizes.ts'

/** Width in pixels of a size given by its longest side; never more than the photo has. */
function widthOf({ width, height }: Pick<Image, 'width' | 'height'>, sidePx: number): number {
  const longest = Math.max(width, height, 1)
  return Math.max(1, Math.round(width * Math.min(1, sidePx / longest)))
}

type Sized = Pick<Image, 'width' | 'height' | 'urls'>

/** WebP needs a third of the bytes; an image handler elsewhere that does not know formats ignores the parameter. */
type Format = 'webp' | undefined

/** For `srcset`: each with its width, without duplicates if the photo itself is small. */
function sourcesIn(image: Sized, sizes: readonly ('sm' | 'md' | '640' | 'lg')[], format?: Format): string {
  const seen = new Set<number>()
  const sources = sizes.flatMap((size) => {
    const rule = sizeRules[size]
    const width = widthOf(image, rule.fit === 'inside' ? rule.sidePx : Infinity)
    if (seen.has(width)) return []
    seen.add(width)
    return [`${image.urls[size]}${format === undefined ? '' : `&f=${format}`} ${width}w`]
  })
  return sources.join(', ')
}

/** For a cell of the grid. */
export const sourcesOf = (image: Sized, format?: Format): string =>
  sourcesIn(image, ['sm', 'md', '640'], format)

/** For a photo that fills most of the window. */
export const largeSourcesOf = (image: Sized): string => sourcesIn(image, ['640', 'lg'])

/**
 * For the first picture of a page, as wide as a phone or two thirds of a window. Never the full photo, which may have
 * megabytes: on a slow connection nothing else would load for a long time.
 */
export const heroSourcesOf = (image: Sized, format?: Format): string =>
  sourcesIn(image, ['md', '640'], format)

/** The file name of a downloaded photo. */
export const fileNameOf = ({ imageID, mimeType }: Pick<Image, 'imageID' | 'mimeType'>): string =>
  `photo-${imageID}.${extensionOf(mimeType) ?? 'jpg'}`

/** The alternative text. */
export const altOf = ({
  title,
  caption,
  displayName,
}: Pick<Image, 'title' | 'caption' | 'displayName'>): string => title || caption || displayName
