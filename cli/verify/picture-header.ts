// What the first bytes of a picture say of it. Not by the server's own walk and decoder, whose faults it would share.
import {
  imageFormatOf,
  imageFormats,
  pixelSizeOf,
  type PixelSize,
} from '../../src/shared/formats/image-formats.ts'

export interface PictureHeader extends PixelSize {
  readonly mimeType: string
}

/** @returns undefined where it is none of the formats, or its dimensions cannot be read. */
export function readPictureHeader(bytes: Uint8Array): PictureHeader | undefined {
  const format = imageFormatOf(bytes)
  if (format === undefined) return undefined
  const size = pixelSizeOf(bytes, imageFormats[format])
  return size && { mimeType: imageFormats[format].mimeType, ...size }
}
