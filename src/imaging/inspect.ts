// Judges an upload by its bytes: its type, its limits, its structure, its position, and what of it may be served.
import { imageFormatOf, imageFormats } from '../shared/formats/image-formats.ts'
import { refuse } from '../errors.ts'
import { clearBmp, readBmpColourSpace, readBmpProfile } from './formats/bmp/bmp-clear.ts'
import { readBmpHeader } from './formats/bmp/bmp-header.ts'
import { decodeBmp } from './formats/bmp/bmp.ts'
import {
  readHeader,
  stripPieces,
  trimPixelData,
  walk,
  type ContainerType,
  type Header,
} from './containers.ts'
import { joinPieces, type Piece } from './container-parts.ts'
import { captureFrom, type Capture } from '../shared/formats/capture.ts'
import { orientationFrom, positionFrom, type Position } from '../shared/formats/gps.ts'
import type { MetadataBlock } from '../shared/formats/metadata-block.ts'
import type { ImageLimits } from './image-limits.ts'
import type { Source } from './resize.ts'

/** What the metadata of an upload tells, from its structure alone. */
export interface ToldByFile {
  readonly position: Position | undefined
  readonly capture: Capture
}

export interface Inspected extends ToldByFile {
  readonly mimeType: string
  /** Upright size in pixels. */
  readonly width: number
  readonly height: number
  /** What is served as size lg: the coded data as it came, without private metadata. */
  readonly large: Uint8Array
  /** What `large` was joined from; undefined where it is no mere selection of the upload. */
  readonly largePieces: readonly Piece[] | undefined
  /** What the small sizes are made from. */
  readonly source: Source
}

const toldBy = (metadata: readonly MetadataBlock[]): ToldByFile => ({
  position: positionFrom(metadata),
  capture: captureFrom(metadata),
})

/** In the header, before a pixel is read (contract C15). */
function checkSize({ width, height, channels, bytesPerSample }: Header, limits: ImageLimits): void {
  const { maxSide, maxPixels, maxDecodedBytes } = limits
  const isTooLarge =
    width > maxSide ||
    height > maxSide ||
    width * height > maxPixels ||
    width * height * channels * bytesPerSample > maxDecodedBytes
  if (isTooLarge) {
    const megabytes = Math.floor(maxDecodedBytes / 1_000_000)
    const megapixels = Math.floor(maxPixels / 1_000_000)
    throw refuse('image-dimensions-too-large', {
      detail: `The image has ${width} × ${height} pixels; the limits are ${maxSide} pixels per side, ${megapixels} megapixels and ${megabytes} MB decoded.`,
    })
  }
}

function inspectBmp(bytes: Uint8Array, limits: ImageLimits): Inspected {
  const header = readBmpHeader(bytes)
  checkSize({ ...header, bytesPerSample: 1 }, limits)
  const picture = decodeBmp(bytes, header)
  const { width, height } = picture
  return {
    mimeType: imageFormats.bmp.mimeType,
    width,
    height,
    position: undefined,
    capture: {},
    large: clearBmp(bytes, header),
    largePieces: undefined,
    source: {
      kind: 'pixels',
      ...picture,
      colourSpace: readBmpColourSpace(bytes, header),
      profile: readBmpProfile(bytes, header),
    },
  }
}

async function inspectContainer(
  bytes: Uint8Array,
  type: ContainerType,
  limits: ImageLimits,
): Promise<Inspected> {
  checkSize(readHeader(bytes, type), limits)
  const walked = walk(bytes, type, limits)
  checkSize(walked, limits) // the first frame of a GIF may be larger than its header says
  const container = await trimPixelData(bytes, walked)
  const orientation = orientationFrom(container.metadata)
  const isSideways = orientation >= 5
  const width = isSideways ? container.height : container.width
  const height = isSideways ? container.width : container.height
  // The decoder gets what is served, so that no metadata parser but our own bounded ones meets a stranger's file.
  const largePieces = stripPieces(container, orientation)
  const large = joinPieces(bytes, largePieces)
  return {
    mimeType: imageFormats[type].mimeType,
    width,
    height,
    ...toldBy(container.metadata),
    large,
    largePieces,
    source: {
      kind: 'file',
      type,
      bytes: large,
      width,
      height,
      colourSpace: container.colourSpace,
      isDeep: container.bytesPerSample === 2,
      isPlainCmyk: container.isPlainCmyk === true,
    },
  }
}

/** @throws refusals `image-dimensions-too-large`, `broken-image`. */
export function readTold(bytes: Uint8Array, limits: ImageLimits): ToldByFile {
  const type = imageFormatOf(bytes)
  if (type === undefined || type === 'bmp') return { position: undefined, capture: {} }
  return toldBy(walk(bytes, type, limits).metadata)
}

/** @throws refusals `unsupported-image-type`, `image-dimensions-too-large`, `broken-image`. */
export async function inspect(bytes: Uint8Array, limits: ImageLimits): Promise<Inspected> {
  const type = imageFormatOf(bytes)
  if (type === undefined)
    throw refuse('unsupported-image-type', {
      detail: 'The file is not a JPEG, GIF, PNG or BMP image.',
    })
  return type === 'bmp' ? inspectBmp(bytes, limits) : inspectContainer(bytes, type, limits)
}
