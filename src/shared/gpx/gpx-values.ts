// Values in a GPX document: numbers and timestamps, in the schema's format and as devices write them.

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(e[+-]?\d{1,4})?$/i

export interface GpxNumber {
  readonly value: number
  /** Matches 9.2e-5, which the schema does not allow but programs write. */
  readonly hasExponent: boolean
}

/** Undefined for anything that is not a finite number: blank, NaN, a comma, a unit after it. */
export function readGpxNumber(text: string): GpxNumber | undefined {
  const trimmed = text.trim()
  const match = decimal.exec(trimmed)
  const value = match === null ? NaN : Number(trimmed)
  if (!Number.isFinite(value)) return undefined
  return { value, hasExponent: match?.[1] !== undefined }
}

export interface GpxTimestamp {
  readonly timeMs: number
  /** A time without a zone is read as UTC, which GPX requires for every time. */
  readonly hasZone: boolean
}

const timestampForm =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,20}))?(?:(Z)|([+-])(\d\d):(\d\d))?$/

/** An xsd:dateTime of the years 0000 to 9999. Undefined for any other text, and for dates that do not exist. */
export function readGpxTimestamp(text: string): GpxTimestamp | undefined {
  const match = timestampForm.exec(text.trim())
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', utc, sign, zoneHours, zoneMinutes] = match
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  // A date that does not exist rolls over into the next month.
  if (date.getUTCMonth() !== Number(month) - 1) return undefined
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second)
  const offsetMinutes = sign === undefined ? 0 : Number(zoneHours) * 60 + Number(zoneMinutes)
  if (offsetMinutes > 14 * 60) return undefined
  const offsetMs = (sign === '-' ? -1 : 1) * offsetMinutes * 60_000
  const milliseconds = Math.trunc(Number(`0.${fraction}0`) * 1000)
  return {
    timeMs: date.getTime() + seconds * 1000 + milliseconds - offsetMs,
    hasZone: utc !== undefined || sign !== undefined,
  }
}
