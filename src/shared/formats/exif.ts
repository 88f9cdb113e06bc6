// Reads the orientation and the written position out of an EXIF block, within fixed bounds, whatever the bytes.
import {
  openTiff,
  readDirectory,
  readInteger,
  readParts,
  readText,
  type Fraction,
  type Tiff,
} from './tiff.ts'

/** One axis as the file writes it, not yet judged: degrees, minutes, seconds (one to three of them). */
export interface WrittenAxis {
  readonly parts: readonly Fraction[]
  /** The text of the reference, "" when there is none: its first letter names the hemisphere. */
  readonly reference: string
}

/** A position as a file writes it; `positionFrom` in gps.ts is the judge of it. */
export interface WrittenPosition {
  readonly latitude?: WrittenAxis
  readonly longitude?: WrittenAxis
}

export interface ExifFacts {
  /** 1 to 8; absent when the block names none or another number. */
  readonly orientation?: number
  readonly gps?: WrittenPosition
}

const orientationTag = 0x0112
const gpsDirectoryTag = 0x8825
const latitudeReferenceTag = 1
const latitudeTag = 2
const longitudeReferenceTag = 3
const longitudeTag = 4

/**
 * Takes the TIFF bytes of an EXIF block, starting at II or MM; never throws.
 * Two directories are read, each once: the first and the GPS directory that it names. No chain is followed, so
 * no loop of offsets can hold the reader, and neither the thumbnail nor what it carries is looked at.
 */
export function readExif(bytes: Uint8Array): ExifFacts {
  const tiff = openTiff(bytes)
  if (tiff === undefined) return {}
  const main = readDirectory(tiff, tiff.view.getUint32(4, tiff.isLittleEndian), [
    orientationTag,
    gpsDirectoryTag,
  ])
  const orientation = readInteger(tiff, main.get(orientationTag))
  const gpsAt = readInteger(tiff, main.get(gpsDirectoryTag))
  return {
    ...(orientation !== undefined && orientation >= 1 && orientation <= 8 ? { orientation } : {}),
    ...(gpsAt === undefined ? {} : { gps: readGps(tiff, gpsAt) }),
  }
}

function readGps(tiff: Tiff, at: number): WrittenPosition {
  const tags = [latitudeReferenceTag, latitudeTag, longitudeReferenceTag, longitudeTag]
  const directory = readDirectory(tiff, at, tags)
  const latitude = readParts(tiff, directory.get(latitudeTag))
  const longitude = readParts(tiff, directory.get(longitudeTag))
  const northOrSouth = readText(tiff, directory.get(latitudeReferenceTag))
  const eastOrWest = readText(tiff, directory.get(longitudeReferenceTag))
  return {
    ...(latitude.length > 0 ? { latitude: { parts: latitude, reference: northOrSouth } } : {}),
    ...(longitude.length > 0 ? { longitude: { parts: longitude, reference: eastOrWest } } : {}),
  }
}
