// Why a photo has no position: what its metadata still contains, so that a page can explain it.
import { readExif, type WrittenAxis, type WrittenPosition } from './exif.ts'
import { positionFrom } from './gps.ts'
import type { MetadataBlock } from './metadata-block.ts'
import { namesPosition } from './xmp-position.ts'

/**
 * - `no-block`: nothing in the file speaks of a position. Messengers and editors remove it all.
 * - `empty-block`: a GPS block without both coordinates.
 * - `zeros`: 0 on both axes, written without a fix, or to blank a position out.
 * - `no-letters`: coordinates without N or S, or without E or W: no hemisphere is guessed.
 * - `not-a-number`: 0/0. Android's photo picker leaves this, and so does a camera without a fix.
 * - `xmp-only`: only the XMP packet still speaks of a position, and gives none that can be used.
 * - `invalid`: coordinates that are no place, such as 91 degrees.
 */
export const missingPositions = [
  'no-block',
  'empty-block',
  'zeros',
  'no-letters',
  'not-a-number',
  'xmp-only',
  'invalid',
] as const

export type MissingPosition = (typeof missingPositions)[number]

/**
 * The first EXIF block with a GPS block counts.
 * @returns undefined for a photo that has a position by the rule of C16 (`positionFrom`).
 */
export function missingPosition(blocks: readonly MetadataBlock[]): MissingPosition | undefined {
  if (positionFrom(blocks) !== undefined) return undefined
  const written = blocks
    .filter(({ kind }) => kind === 'exif')
    .map(({ bytes }) => readExif(bytes).gps)
    .find((gps) => gps !== undefined)
  if (written !== undefined && hasCoordinate(written)) return kindOf(written)
  // An empty block beside XMP with a position remains if only the EXIF position was removed.
  if (blocks.some(({ kind, bytes }) => kind === 'xmp' && namesPosition(bytes))) return 'xmp-only'
  return written === undefined ? 'no-block' : 'empty-block'
}

const hasCoordinate = ({ latitude, longitude }: WrittenPosition): boolean =>
  latitude !== undefined || longitude !== undefined

function kindOf({ latitude, longitude }: WrittenPosition): MissingPosition {
  const axes = [latitude, longitude].filter((axis) => axis !== undefined)
  if (axes.some(isBlank)) return 'not-a-number'
  if (axes.length < 2) return 'empty-block'
  if (axes.every(isZero)) return 'zeros'
  return axes.every(({ reference }) => /^\s*[a-z]/i.test(reference)) ? 'invalid' : 'no-letters'
}

const isBlank = ({ parts }: WrittenAxis): boolean =>
  parts.some(({ numerator, denominator }) => numerator === 0n && denominator === 0n)

const isZero = ({ parts }: WrittenAxis): boolean => parts.every(({ numerator }) => numerator === 0n)
