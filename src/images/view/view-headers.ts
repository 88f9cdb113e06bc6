// The headers of a response with the bytes of an image, however it is sent (contract C24–C27).
import { imageSizes, renditionMimeTypes, type ImageSize } from '../../shared/image-sizes.ts'
import type { StoredRendition } from '../storage/rendition-table.ts'
import type { ImageFile } from '../image-table.ts'

const plainNames = new Map(imageSizes.map((size) => [size, [`${size}.jpeg`, `${size}.png`]]))
const webpNames = new Map(imageSizes.map((size) => [size, [`${size}.webp`]]))

/** The renditions that a view may be answered with, the first that there is: always the same object for the same view. */
export function namesOf({
  size,
  isWebp,
}: {
  readonly size: ImageSize
  readonly isWebp: boolean
}): readonly string[] {
  return (isWebp ? webpNames : plainNames).get(size) ?? []
}

/** `sm.jpeg` → `image/jpeg`; size lg has the type of the upload. */
function mediaTypeOf(name: string, image: Pick<ImageFile, 'mimeType'>): string {
  const format = name.split('.')[1]
  const known = Object.entries(renditionMimeTypes).find(([candidate]) => candidate === format)
  return known?.[1] ?? image.mimeType
}

/** @param imageMaxAge seconds that caches may keep what is listed. */
export function headersOfView(
  image: Pick<ImageFile, 'state' | 'mimeType'>,
  { name, digest }: StoredRendition,
  imageMaxAge: number,
) {
  const isListed = image.state === 'approved'
  return {
    etag: `"${digest.slice(0, 32)}"`,
    'content-type': mediaTypeOf(name, image),
    'content-disposition': 'inline',
    'cache-control': isListed ? `public, max-age=${imageMaxAge}` : 'private, no-store',
    // An upload that is also a valid page or script is never executed as one, even if it is opened or embedded.
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    ...(isListed ? {} : { 'x-robots-tag': 'noindex' }),
  }
}
