// What the searches for metadata share: text in bytes, and what begins as EXIF does.
import type { MetadataBlock } from '../../../src/shared/formats/gps.ts'

export const latin1 = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, to))

/** What claims to be EXIF, with or without "Exif\0\0" before it; undefined for what is no TIFF. */
export function exifBlock(bytes: Uint8Array): MetadataBlock | undefined {
  let tiff = bytes
  while (latin1(tiff, 0, 6) === 'Exif\0\0') tiff = tiff.subarray(6)
  const order = latin1(tiff, 0, 2)
  return order === 'II' || order === 'MM' ? { kind: 'exif', bytes: tiff } : undefined
}
