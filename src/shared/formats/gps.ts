// The rules for position and orientation: interprets a photo's metadata (contract C9 and C16).

import { readExif } from './exif.ts'
import type { WrittenAxis, WrittenPosition } from './exif.ts'
import type { MetadataBlock } from './metadata-block.ts'
import type { Fraction } from './tiff.ts'
import { readXmpPosition } from './xmp-position.ts'

/** Decimal degrees as text: at most 7 decimals, no trailing zeros, no exponent, never "-0". */
export interface Position {
  readonly lat: string
  readonly lon: string
}

interface Axis {
  readonly positiveLetter: string
  readonly negativeLetter: string
  readonly maxDegrees: bigint
}

const latitudeAxis: Axis = { positiveLetter: 'N', negativeLetter: 'S', maxDegrees: 90n }
const longitudeAxis: Axis = { positiveLetter: 'E', negativeLetter: 'W', maxDegrees: 180n }

/** The seventh decimal of a degree is about a centimetre. */
const decimals = 7
const unitsPerDegree = 10n ** BigInt(decimals)

/**
 * The position of a photo, or undefined when the metadata gives none that can be trusted: of all EXIF blocks
 * the first that holds one, else of all XMP blocks. A block without a position never hides a later one, except that a
 * blank one (0/0) silences XMP: the camera says that it had no fix, and editing programs copy that block into XMP with
 * the blank taken for zero.
 */
export function positionFrom(blocks: readonly MetadataBlock[]): Position | undefined {
  for (const block of blocks) {
    const position = block.kind === 'exif' ? validPosition(readExif(block.bytes).gps) : undefined
    if (position !== undefined) return position
  }
  if (blocks.some((block) => block.kind === 'exif' && isBlank(readExif(block.bytes).gps))) return undefined
  for (const block of blocks) {
    const position = block.kind === 'xmp' ? validPosition(readXmpPosition(block.bytes)) : undefined
    if (position !== undefined) return position
  }
  return undefined
}

/** Whether any part of a coordinate is 0/0, which is how cameras write "no value". */
function isBlank(written: WrittenPosition | undefined): boolean {
  const parts = [...(written?.latitude?.parts ?? []), ...(written?.longitude?.parts ?? [])]
  return parts.some(isNotANumber)
}

function isNotANumber({ numerator, denominator }: Fraction): boolean {
  return numerator === 0n && denominator === 0n
}

/** The orientation of the first EXIF block that has a valid one, else 1: upright as stored. */
export function orientationFrom(blocks: readonly MetadataBlock[]): number {
  for (const block of blocks) {
    const orientation = block.kind === 'exif' ? readExif(block.bytes).orientation : undefined
    if (orientation !== undefined) return orientation
  }
  return 1
}

/** Both axes or none; 0,0 is what devices write that know nothing, while one zero axis is a real place. */
function validPosition(written: WrittenPosition | undefined): Position | undefined {
  const latitude = judgeAxis(written?.latitude, latitudeAxis)
  const longitude = judgeAxis(written?.longitude, longitudeAxis)
  if (latitude === undefined || longitude === undefined) return undefined
  if (latitude === 0n && longitude === 0n) return undefined
  return { lat: formatUnits(latitude), lon: formatUnits(longitude) }
}

/**
 * One axis in units of the seventh decimal, signed. Undefined, for a wrong place is worse than none, when
 * - the reference's first letter (any case, after blanks) is not of this axis: no hemisphere is guessed,
 * - the degrees are n/0, or any part is 0/0, which is no number (C16); minutes or seconds of n/0 count as 0,
 * - a part is negative: EXIF knows no signs, and "-119 W" is west to one writer and east to the next,
 * - minutes or seconds exceed 60 (60 itself is what rounding 59.999 writes), or the whole the axis.
 */
function judgeAxis(written: WrittenAxis | undefined, axis: Axis): bigint | undefined {
  const letter = written?.reference.trimStart().charAt(0).toUpperCase()
  if (written === undefined || (letter !== axis.positiveLetter && letter !== axis.negativeLetter))
    return undefined
  const degrees = sumParts(written.parts)
  if (degrees === undefined || degrees.numerator > axis.maxDegrees * degrees.denominator) return undefined
  const units = roundHalfUp(degrees.numerator * unitsPerDegree, degrees.denominator)
  return letter === axis.negativeLetter ? -units : units
}

/** Degrees + minutes / 60 + seconds / 3600 without loss; any part may have decimals and later ones may lack. */
function sumParts(parts: readonly Fraction[]): Fraction | undefined {
  const [degrees, ...minutesAndSeconds] = parts
  if (degrees === undefined || degrees.denominator === 0n || degrees.numerator < 0n) return undefined
  let { numerator, denominator } = degrees
  let perDegree = 1n
  for (const part of minutesAndSeconds) {
    perDegree *= 60n
    if (isNotANumber(part)) return undefined
    if (part.denominator === 0n) continue
    if (part.numerator < 0n || part.numerator > 60n * part.denominator) return undefined
    numerator = numerator * part.denominator * perDegree + part.numerator * denominator
    denominator *= part.denominator * perDegree
  }
  return { numerator, denominator }
}

/** For non-negative numbers. */
function roundHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator)
}

function formatUnits(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0')
  const whole = digits.slice(0, -decimals)
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}
