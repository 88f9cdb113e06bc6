// Interprets a photo's metadata: time, direction, altitude and accuracy (contract C42).
import { maxAccuracy, maxAltitude, minAltitude } from '../taken-words.ts'
import { readExifCapture, type WrittenCapture } from './exif.ts'
import type { MetadataBlock } from './metadata-block.ts'
import type { Fraction } from './tiff.ts'

/** What cannot be read is left out, and nothing that is odd is an error. */
export interface Capture {
  /** The camera's own clock, `2026-05-14T09:08:07` or `2026-05-14T09:08:07.123`. */
  readonly localTime?: string
  /** Minutes by which that clock was ahead of UTC, if the file states it. */
  readonly offsetMinutes?: number
  /** Degrees clockwise from true north, 0 to 360. */
  readonly direction?: number
  /** Metres; negative below sea level. */
  readonly altitude?: number
  /** Metres around the position that the file states. */
  readonly accuracy?: number
}

/** The first EXIF block with a value counts, as with positions; never throws. */
export function captureFrom(blocks: readonly MetadataBlock[]): Capture {
  const written = blocks.flatMap((block) =>
    block.kind === 'exif' ? (readExifCapture(block.bytes) ?? []) : [],
  )
  const direction = firstOf(written, directionOf)
  const altitude = firstOf(written, altitudeOf)
  const accuracy = firstOf(written, ({ accuracy: stated }) => numberOf(stated, 0, maxAccuracy))
  return {
    ...firstOf(written, instantOf),
    ...(direction === undefined ? {} : { direction }),
    ...(altitude === undefined ? {} : { altitude }),
    ...(accuracy === undefined ? {} : { accuracy }),
  }
}

function firstOf<Value>(
  written: readonly WrittenCapture[],
  read: (one: WrittenCapture) => Value | undefined,
): Value | undefined {
  for (const one of written) {
    const value = read(one)
    if (value !== undefined) return value
  }
  return undefined
}

const writtenTime = /^(\d{4})([:/-])(\d\d)\2(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d+))?\s*(Z|[+-]\d\d:?\d\d)?$/

/**
 * Blanks and zeros mean that the clock was never set; invalid dates are ignored. The offset must be from the same
 * block, because another block may describe another time.
 */
function instantOf({
  takenAt,
  subSeconds,
  offset,
}: WrittenCapture): Pick<Capture, 'localTime' | 'offsetMinutes'> | undefined {
  const [, year, , month, day, hour, minute, second, ownFraction, ownOffset] =
    writtenTime.exec(takenAt.trim()) ?? []
  if (year === undefined || Number(year) < 1900) return undefined
  const timestamp = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const at = new Date(`${timestamp}Z`)
  // A Date takes 30 February for 2 March, and 24 o'clock for the next day.
  if (Number.isNaN(at.getTime()) || !at.toISOString().startsWith(timestamp)) return undefined
  const [fraction = ownFraction] = /^\d+/.exec(subSeconds.trim()) ?? []
  const milliseconds = (fraction ?? '').slice(0, 3).padEnd(3, '0')
  const offsetMinutes = offsetOf(offset) ?? offsetOf(ownOffset ?? '')
  return {
    localTime: milliseconds === '000' ? timestamp : `${timestamp}.${milliseconds}`,
    ...(offsetMinutes === undefined ? {} : { offsetMinutes }),
  }
}

/** `+02:00`, also `+0200` and `Z`. No place is more than 14 hours ahead, or more than 12 behind. */
function offsetOf(text: string): number | undefined {
  if (text.trim() === 'Z') return 0
  const [, sign, hours, minutes] = /^([+-])(\d\d):?([0-5]\d)$/.exec(text.trim()) ?? []
  if (sign === undefined) return undefined
  const size = Number(hours) * 60 + Number(minutes)
  const offset = sign === '-' && size > 0 ? -size : size
  return offset >= -12 * 60 && offset <= 14 * 60 ? offset : undefined
}

/** Without a reference it is from true north, which EXIF says is the default; of magnetic north see below. */
function directionOf({ direction, directionReference }: WrittenCapture): number | undefined {
  const letter = directionReference.trim().charAt(0).toUpperCase()
  // No file says where magnetic north was: no direction is better than one that is wrong by twenty degrees.
  return letter === '' || letter === 'T' ? numberOf(direction, 0, 360) : undefined
}

/** The sign belongs in the reference; if the number has one too, it means below sea level once. */
function altitudeOf({ altitude, isBelow }: WrittenCapture): number | undefined {
  const metres = numberOf(altitude, minAltitude, maxAltitude)
  if (metres === undefined || !isBelow || metres === 0) return metres
  const below = -Math.abs(metres)
  return below < minAltitude ? undefined : below
}

/** To the thousandth; undefined if the file has no number, or an impossible one. */
function numberOf(fraction: Fraction | undefined, min: number, max: number): number | undefined {
  if (fraction === undefined || fraction.denominator === 0n) return undefined
  const value = Math.round((Number(fraction.numerator) / Number(fraction.denominator)) * 1_000) / 1_000
  return value >= min && value <= max ? value + 0 : undefined
}
