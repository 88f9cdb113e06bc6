// Reads the header of a picture, independent of the server's code, whose bugs it would share.
import {
  imageFormatOf,
  imageFormats,
  pixelSizeOf,
  type PixelSize,
} from '../../src/shared/formats/image-formats.ts'

export interface PictureHeader extends PixelSize {
  readonly mimeType: string
}

/** @returns undefined if it is none of the formats, or its dimensions cannot be read. */
export function readPictureHeader(bytes: Uint8Array): PictureHeader | undefined {
  const format = imageFormatOf(bytes)
  if (format === undefined) return undefined
  const size = pixelSizeOf(bytes, imageFormats[format])
  return size && { mimeType: imageFormats[format].mimeType, ...size }
}
