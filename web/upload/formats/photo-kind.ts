// What a file is, by its first bytes, and how many pixels its header says it has: before anything decodes it.
import {
  convertedFormats,
  uploadFormatOf,
  uploadFormats,
  type UploadFormat,
} from '../../../src/shared/formats/converted-formats.ts'
import { startsWith, type FileFormat } from '../../../src/shared/formats/image-formats.ts'

type PhotoFormat = Pick<FileFormat, 'mimeType' | 'isIn' | 'readSize'>

/** Enough for every kind's header but that of a JPEG with a long profile and of HEIF. */
export const headBytes = 64

/** That the service does not take, but which a browser may be able to turn into what it takes. */
const tiff: PhotoFormat = {
  mimeType: 'image/tiff',
  isIn: startsWith('II*\0', 'MM\0*'),
  readSize: () => undefined,
}

export type PhotoKind = UploadFormat | 'tiff'

export const photoFormats: Readonly<Record<PhotoKind, PhotoFormat>> = { ...uploadFormats, tiff }

/**
 * What the file chooser lists, some by their endings, as not every system has a type for them. Everything else that may be
 * a picture is let in: what is no photo gets a row that says so, instead of being greyed out without a word.
 */
export const chosenTypes = [
  'image/*',
  ...Object.values(convertedFormats).flatMap(({ extensions }) => extensions.map((ending) => `.${ending}`)),
].join()

/** @param bytes the first of the file. */
export function kindOf(bytes: Uint8Array): PhotoKind | undefined {
  return uploadFormatOf(bytes) ?? (tiff.isIn(bytes) ? 'tiff' : undefined)
}
