// Parses a JPEG, PNG or GIF to its end, and strips private metadata.
import { joinPieces, refuseTooManyFrames } from './container-parts.ts'
import type { Container, ContainerType, Header, Piece } from './container-parts.ts'
import type { ImageLimits } from './image-limits.ts'
import { readGifHeader, walkGif } from './formats/gif/gif-container.ts'
import { jpegOrientation, readJpegHeader, walkJpeg } from './formats/jpeg/jpeg-container.ts'
import { pngOrientation, readPngHeader, walkPng } from './formats/png/png-container.ts'

export type { Container, ContainerType, Header } from './container-parts.ts'
export { trimPixelData } from './formats/png/png-frames.ts'

const walkers = {
  jpeg: { readHeader: readJpegHeader, walk: walkJpeg, orientation: jpegOrientation },
  png: { readHeader: readPngHeader, walk: walkPng, orientation: pngOrientation },
  gif: { readHeader: readGifHeader, walk: walkGif, orientation: undefined },
} as const satisfies Record<ContainerType, unknown>

/**
 * The size from the header, so that a bomb is refused before anything else is read.
 * Throws `broken-image` when there is no header or a side is 0.
 */
export function readHeader(bytes: Uint8Array, type: ContainerType): Header {
  return walkers[type].readHeader(bytes)
}

/**
 * Holds the whole structure to its format, to the end marker. In a JPEG and a GIF that includes every pixel; the
 * pixel data of a PNG is for `trimPixelData`.
 * Throws `broken-image`, or `image-dimensions-too-large` for an animation; nothing else, whatever the bytes.
 */
export function walk(bytes: Uint8Array, type: ContainerType, limits: ImageLimits): Container {
  const container = walkers[type].walk(bytes, limits)
  refuseTooManyFrames(container, container.frames, limits)
  return container
}

/**
 * The same picture, coded data byte for byte, without private metadata (C25): what is served as lg and what
 * the decoder gets. `bytes` are those that were walked. An orientation of 2 to 8 is written as fresh EXIF;
 * a missing end marker is mended and what followed it is dropped.
 */
export function strip(bytes: Uint8Array, container: Container, orientation: number): Uint8Array {
  return joinPieces(bytes, stripPieces(container, orientation))
}

/** The parts that `strip` joins: from the parsed bytes, the result can be joined again. */
export function stripPieces(container: Container, orientation: number): Piece[] {
  const { orientation: write } = walkers[container.type]
  const isTurned = Number.isInteger(orientation) && orientation >= 2 && orientation <= 8
  const exif = isTurned && write !== undefined ? [write(orientation)] : []
  return [...container.opening, ...exif, ...container.rest, container.end]
}
