// The metadata blocks of a photo: EXIF and XMP as they are in the file, for server and browser.
import { latin1, standsAt } from './bytes.ts'
import { app1, type Segment } from './jpeg-segments.ts'

/** `exif`: a TIFF structure from its II or MM on. `xmp`: the packet. Neither has been looked into. */
export interface MetadataBlock {
  readonly kind: 'exif' | 'xmp'
  readonly bytes: Uint8Array
}

const exifPrefix = latin1('Exif\0\0')
const exifSignature = exifPrefix.subarray(0, 5)
export const xmpSignature = latin1('http://ns.adobe.com/xap/1.0/\0')

/** For data that claims to be EXIF, with or without "Exif\0\0" before it; undefined if it is not TIFF. */
export function exifBlock(bytes: Uint8Array): MetadataBlock | undefined {
  let tiff = bytes
  while (standsAt(tiff, 0, exifPrefix)) tiff = tiff.subarray(exifPrefix.length)
  const isTiff = (tiff[0] === 0x49 || tiff[0] === 0x4d) && tiff[1] === tiff[0]
  return isTiff ? { kind: 'exif', bytes: tiff } : undefined
}

/** For a segment of a JPEG. */
export function segmentBlock(bytes: Uint8Array, { marker, body, to }: Segment): MetadataBlock | undefined {
  if (marker !== app1) return undefined
  if (standsAt(bytes, body, exifSignature, to)) return exifBlock(bytes.subarray(body + exifPrefix.length, to))
  const isXmp = standsAt(bytes, body, xmpSignature, to)
  return isXmp ? { kind: 'xmp', bytes: bytes.subarray(body + xmpSignature.length, to) } : undefined
}
