// Reads orientation, position and capture data from an EXIF block, within fixed limits for any bytes.
import {
  openTiff,
  readDirectory,
  readInteger,
  readParts,
  readText,
  type Entry,
  type Fraction,
  type Tiff,
} from './tiff.ts'

/** One axis as written in the file, not yet validated: degrees, minutes, seconds (one to three of them). */
export interface WrittenAxis {
  readonly parts: readonly Fraction[]
  /** The text of the reference, "" when there is none: its first letter names the hemisphere. */
  readonly reference: string
}

/** A position as written in a file; `positionFrom` in gps.ts validates it. */
export interface WrittenPosition {
  readonly latitude?: WrittenAxis
  readonly longitude?: WrittenAxis
}

export interface ExifFacts {
  /** 1 to 8; absent when the block names none or another number. */
  readonly orientation?: number
  readonly gps?: WrittenPosition
}

/** Capture data as written in an EXIF block; `captureFrom` in capture.ts validates it. */
export interface WrittenCapture {
  /** The clock, such as `2026:05:14 09:08:07`; "" if there is none, as for each text here. */
  readonly takenAt: string
  readonly subSeconds: string
  readonly offset: string
  readonly direction: Fraction | undefined
  readonly directionReference: string
  readonly altitude: Fraction | undefined
  readonly isBelow: boolean
  readonly accuracy: Fraction | undefined
}

const orientationTag = 0x0112
const exifDirectoryTag = 0x8769
const gpsDirectoryTag = 0x8825
const latitudeReferenceTag = 1
const latitudeTag = 2
const longitudeReferenceTag = 3
const longitudeTag = 4
const altitudeReferenceTag = 5
const altitudeTag = 6
const directionReferenceTag = 0x10
const directionTag = 0x11
const accuracyTag = 0x1f
const takenAtTag = 0x9003
const offsetTag = 0x9011
const subSecondsTag = 0x9291

/**
 * Takes the TIFF bytes of an EXIF block, starting at II or MM; never throws.
 * Two directories are read, each once: the first, and the GPS directory that it names. No chain is followed, so no loop
 * of offsets can hold the reader, and the thumbnail is not looked at.
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

/** Takes the TIFF bytes of an EXIF block; never throws. Three directories are read, each once, as by `readExif`. */
export function readExifCapture(bytes: Uint8Array): WrittenCapture | undefined {
  const tiff = openTiff(bytes)
  if (tiff === undefined) return undefined
  const mainAt = tiff.view.getUint32(4, tiff.isLittleEndian)
  const main = readDirectory(tiff, mainAt, [exifDirectoryTag, gpsDirectoryTag])
  const open = (pointerTag: number, tags: readonly number[]): ReadonlyMap<number, Entry> => {
    const at = readInteger(tiff, main.get(pointerTag))
    return at === undefined ? new Map<number, Entry>() : readDirectory(tiff, at, tags)
  }
  const exif = open(exifDirectoryTag, [takenAtTag, offsetTag, subSecondsTag])
  const gps = open(gpsDirectoryTag, [
    altitudeReferenceTag,
    altitudeTag,
    directionReferenceTag,
    directionTag,
    accuracyTag,
  ])
  return {
    takenAt: readText(tiff, exif.get(takenAtTag)),
    subSeconds: readText(tiff, exif.get(subSecondsTag)),
    offset: readText(tiff, exif.get(offsetTag)),
    direction: readParts(tiff, gps.get(directionTag))[0],
    directionReference: readText(tiff, gps.get(directionReferenceTag)),
    altitude: readParts(tiff, gps.get(altitudeTag))[0],
    isBelow: isBelow(tiff, gps.get(altitudeReferenceTag)),
    accuracy: readParts(tiff, gps.get(accuracyTag))[0],
  }
}

/** 1 and, of EXIF 3, 3: as a number, which it should be, or as a digit. */
function isBelow(tiff: Tiff, reference: Entry | undefined): boolean {
  const number = readInteger(tiff, reference)
  const [digit] = readText(tiff, reference)
  return number === 1 || number === 3 || ['1', '3', '\u0001', '\u0003'].includes(digit ?? '')
}
