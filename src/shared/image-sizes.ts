// The sizes in which an image is served (A5, C25), and the formats of its renditions (C26), as data.

/**
 * `inside`: the longest side is at most `sidePx`, never enlarged. `square`: exactly `sidePx` each way,
 * cropped about the centre, enlarged if need be. `whole`: the stored format and pixels.
 */
export type SizeRule =
  | { readonly fit: 'inside' | 'square'; readonly sidePx: number }
  | { readonly fit: 'whole' }

/** In growing order. One more size is one more line. */
const sizes = [
  ['sm', { fit: 'inside', sidePx: 100 }],
  ['150', { fit: 'square', sidePx: 150 }],
  ['md', { fit: 'inside', sidePx: 300 }],
  ['640', { fit: 'inside', sidePx: 640 }],
  ['lg', { fit: 'whole' }],
] as const satisfies readonly (readonly [string, SizeRule])[]

export type ImageSize = (typeof sizes)[number][0]

export const imageSizes: readonly ImageSize[] = sizes.map(([size]) => size)

/** `sm, 150, md, 640 or lg`. */
export const listedSizes = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(imageSizes)

export const sizeRules = Object.fromEntries(sizes) as Readonly<Record<ImageSize, SizeRule>>

/** What the image handler serves when `t` is missing (C24). */
export const defaultImageSize: ImageSize = 'lg'

export function isImageSize(text: string): text is ImageSize {
  return Object.hasOwn(sizeRules, text)
}

/**
 * The formats a smaller size can be served in: JPEG; PNG where there is transparency; WebP where it was asked
 * for.
 */
export const renditionMimeTypes = { jpeg: 'image/jpeg', png: 'image/png', webp: 'image/webp' } as const

export type RenditionFormat = keyof typeof renditionMimeTypes

export function isRenditionFormat(text: string): text is RenditionFormat {
  return Object.hasOwn(renditionMimeTypes, text)
}
