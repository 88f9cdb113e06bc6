// Inspects the bytes of an upload: type, limits, structure, position, and what may be served.
import {
  isConvertedFormat,
  uploadFormatOf,
  type ConvertedFormat,
} from '../shared/formats/converted-formats.ts'
import { imageFormats } from '../shared/formats/image-formats.ts'
import { refuse } from '../errors.ts'
import { convertPicture } from './convert-picture.ts'
import type { WalkedPicture } from './converted.ts'
import { clearBmp, readBmpColourSpace, readBmpProfile } from './formats/bmp/bmp-clear.ts'
import { readBmpHeader } from './formats/bmp/bmp-header.ts'
import { decodeBmp } from './formats/bmp/bmp.ts'
import { walkHeif } from './formats/heif/heif-container.ts'
import { readWebpHeader, walkWebp } from './formats/webp/webp-container.ts'
import { readHeader, stripPieces, trimPixelData, walk, type ContainerType } from './containers.ts'
import { joinPieces, refuseTooLarge, type Piece } from './container-parts.ts'
import { captureFrom, type Capture } from '../shared/formats/capture.ts'
import { orientationFrom, positionFrom, type Position } from '../shared/formats/gps.ts'
import type { MetadataBlock } from '../shared/formats/metadata-block.ts'
import type { ImageLimits } from './image-limits.ts'
import type { Source } from './resize.ts'

/** The metadata of an upload, from its structure alone. */
export interface FileMetadata {
  readonly position: Position | undefined
  readonly capture: Capture
}

export interface Inspected extends FileMetadata {
  readonly mimeType: string
  /** Upright size in pixels. */
  readonly width: number
  readonly height: number
  /** Size lg: the coded data as uploaded, without private metadata. */
  readonly large: Uint8Array
  /** The parts that `large` was joined from; undefined if it is not just a selection of the upload. */
  readonly largePieces: readonly Piece[] | undefined
  /** What the small sizes are made from. */
  readonly source: Source
}

const metadataFrom = (metadata: readonly MetadataBlock[]): FileMetadata => ({
  position: positionFrom(metadata),
  capture: captureFrom(metadata),
})

function inspectBmp(bytes: Uint8Array, limits: ImageLimits): Inspected {
  const header = readBmpHeader(bytes)
  refuseTooLarge({ ...header, bytesPerSample: 1 }, limits)
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
  refuseTooLarge(readHeader(bytes, type), limits)
  const walked = walk(bytes, type, limits)
  refuseTooLarge(walked, limits) // the first frame of a GIF may be larger than its header says
  const container = await trimPixelData(bytes, walked)
  const orientation = orientationFrom(container.metadata)
  const isSideways = orientation >= 5
  const width = isSideways ? container.height : container.width
  const height = isSideways ? container.width : container.height
  // The decoder gets the stripped file, so that only our own bounded parsers see the metadata of an upload.
  const largePieces = stripPieces(container, orientation)
  const large = joinPieces(bytes, largePieces)
  return {
    mimeType: imageFormats[type].mimeType,
    width,
    height,
    ...metadataFrom(container.metadata),
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

function walkConverted(bytes: Uint8Array, format: ConvertedFormat, limits: ImageLimits): WalkedPicture {
  if (format !== 'webp') return walkHeif(bytes, limits)
  refuseTooLarge(readWebpHeader(bytes), limits)
  return walkWebp(bytes, limits)
}

async function inspectConverted(
  bytes: Uint8Array,
  format: ConvertedFormat,
  limits: ImageLimits,
): Promise<Inspected> {
  const walked = walkConverted(bytes, format, limits)
  const { type, bytes: large, width, height } = await convertPicture(walked, limits)
  return {
    mimeType: imageFormats[type].mimeType,
    width,
    height,
    // From the original: the conversion keeps none.
    ...metadataFrom(walked.metadata),
    large,
    largePieces: undefined,
    source: { kind: 'file', type, bytes: large, width, height },
  }
}

/** The allowed formats: the four of the classic surface (contract C15), or those that v2 also accepts (C55). */
export type Takes = 'classic' | 'any'

const unsupported = {
  classic: 'The file is not a JPEG, GIF, PNG or BMP image.',
  any: 'The file is not a JPEG, GIF, PNG, BMP, HEIC, AVIF or WebP image.',
} as const satisfies Record<Takes, string>

/** @throws refusals `image-dimensions-too-large`, `broken-image`. */
export function readMetadata(bytes: Uint8Array, limits: ImageLimits): FileMetadata {
  const type = uploadFormatOf(bytes)
  if (type === undefined || type === 'bmp') return { position: undefined, capture: {} }
  const walked = isConvertedFormat(type) ? walkConverted(bytes, type, limits) : walk(bytes, type, limits)
  return metadataFrom(walked.metadata)
}

/** @throws refusals `unsupported-image-type`, `image-dimensions-too-large`, `broken-image`. */
export async function inspect(
  bytes: Uint8Array,
  limits: ImageLimits,
  takes: Takes = 'any',
): Promise<Inspected> {
  const type = uploadFormatOf(bytes)
  if (type === undefined || (takes === 'classic' && isConvertedFormat(type)))
    throw refuse('unsupported-image-type', { detail: unsupported[takes] })
  if (isConvertedFormat(type)) return inspectConverted(bytes, type, limits)
  return type === 'bmp' ? inspectBmp(bytes, limits) : inspectContainer(bytes, type, limits)
}
