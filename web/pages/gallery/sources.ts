// Which sizes of a photo a browser may choose from, and how wide each is.
import type { Image } from '../../../client/client.ts'
import { extensionOf } from '../../../src/shared/formats/image-formats.ts'
import { sizeRules } from '../../../src/shared/image-sizes.ts'

/** Pixels across of a size whose longest side is given; never more than the photo has. */
function widthOf({ width, height }: Pick<Image, 'width' | 'height'>, sidePx: number): number {
  const longest = Math.max(width, height, 1)
  return Math.max(1, Math.round(width * Math.min(1, sidePx / longest)))
}

type Sized = Pick<Image, 'width' | 'height' | 'urls'>

/** WebP has a third of the bytes; whatever serves photos elsewhere and knows no formats sends them as they are. */
type Format = 'webp' | undefined

/** For `srcset`: each with its width, and none twice where the photo itself is small. */
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

/** For a place in the grid. */
export const sourcesOf = (image: Sized, format?: Format): string =>
  sourcesIn(image, ['sm', 'md', '640'], format)

/** For a photo that fills most of the window. */
export const largeSourcesOf = (image: Sized): string => sourcesIn(image, ['640', 'lg'])

/**
 * For the first picture of a page, as wide as a phone or two thirds of a window. Never the whole photo, which may have
 * megabytes: nobody with a slow line would see anything else for as long.
 */
export const heroSourcesOf = (image: Sized, format?: Format): string =>
  sourcesIn(image, ['md', '640'], format)

/** As the photo is called once it is downloaded. */
export const fileNameOf = ({ imageID, mimeType }: Pick<Image, 'imageID' | 'mimeType'>): string =>
  `photo-${imageID}.${extensionOf(mimeType) ?? 'jpg'}`

/** The words for who cannot see a photo. */
export const altOf = ({
  title,
  caption,
  displayName,
}: Pick<Image, 'title' | 'caption' | 'displayName'>): string => title || caption || displayName
