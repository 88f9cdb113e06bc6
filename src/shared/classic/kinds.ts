// The kinds: the wire form of one value, written and read in JSON and XML. Every oddity of a value is here.
import { countCharacters } from '../text/characters.ts'
import { invalidField, taken } from './reading.ts'
import type { Reading } from './reading.ts'

/**
 * The wire form of one value. Methods, not function properties: their parameters are compared loosely, which
 * lets one list hold kinds of different values.
 */
export interface Kind<Value> {
  /** The JSON text of the value. Escaping slashes (C7) is of the whole shape, see json.ts. */
  writeJson(value: Value): string
  /**
   * Only for strings that may be very long: the content of the quotes, before escaping, so that it can be written in
   * slices.
   */
  jsonText?(value: Value): string
  /** The text of the value's XML element, before escaping. */
  writeXml(value: Value): string
  /**
   * `sent` is a result of JSON.parse or the text of an XML element (an array, if it has child elements); never null,
   * which means unchanged for every kind. The value is undefined if the input says nothing, such as a blank coordinate.
   */
  read(sent: unknown, field: string): Reading<Value | undefined>
}

/** UTF-16 units; far more than any text may have. To look at a text of 24 MiB takes 40 ms. */
const maxCounted = 1_000_000

export interface TextKind extends Kind<string> {
  /** The most Unicode code points the text may hold (C13). */
  readonly maxCharacters: number
}

const wholeNumber = /^[+-]?\d+$/

/**
 * long: a whole number of at most 2^53−1 either way. A numeric string is read too; a blank one says nothing.
 */
export const id: Kind<number> = {
  writeJson: String,
  writeXml: String,
  read(sent, field) {
    const text = typeof sent === 'string' ? sent.trim() : sent
    if (text === '') return taken(undefined)
    const value = typeof text === 'string' && wholeNumber.test(text) ? Number(text) : text
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
      return invalidField(`${field} must be a whole number of at most 9007199254740991.`)
    }
    return taken(value === 0 ? 0 : value)
  },
}

/** Text of any length, unchanged: for values that only the service writes. */
export const plainText: Kind<string> = {
  writeJson: (value) => JSON.stringify(value),
  jsonText: (value) => value,
  writeXml: (value) => value,
  read: (sent, field) => readText(sent, field),
}

/**
 * Text whose empty form is sent as one space, both ways (A2.5, C12), so that a GET/PUT round trip never grows. Longer
 * than `maxCharacters` is refused, never truncated (C13); any other blanks are the client's and stay.
 */
export function blankAsSpace(maxCharacters: number): TextKind {
  const written = (value: string): string => (value === '' ? ' ' : value)
  return {
    maxCharacters,
    writeJson: (value) => JSON.stringify(written(value)),
    writeXml: written,
    read(sent, field) {
      const text = readText(sent, field)
      if (!text.ok) return text
      if (text.value === ' ') return taken('')
      const isCounted = text.value.length <= maxCounted
      const count = isCounted ? countCharacters(text.value) : `more than ${maxCounted / 2}`
      if (typeof count === 'number' && count <= maxCharacters) return text
      return invalidField(`${field} may have at most ${maxCharacters} characters; this one has ${count}.`)
    },
  }
}

function readText(sent: unknown, field: string): Reading<string> {
  return typeof sent === 'string' ? taken(sent) : invalidField(`${field} must be a string.`)
}

// One sign, then digits on at least one side of the point. The exponent is only recognised to be refused.
export const decimal = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(e[+-]?\d+)?$/i
const maxDigits = 28

/**
 * A coordinate: text of decimal digits, which JSON carries as a string (A2); unknown ('' or '0') is written "0". Read
 * from a string or a number, between −limit and limit. The client's digits are kept (C9: no rounding, trailing zeros
 * stay, at most 28 digits not counting leading zeros); only the notation is normalised, so that every stored coordinate
 * is also a JSON number and no client gets `+5`, `.5`, `5.`, `007` or `-0`. Blank says nothing.
 */
export function coordinate(limit: number): Kind<string> {
  const written = (value: string): string => (value === '' ? '0' : value)
  return {
    writeJson: (value) => JSON.stringify(written(value)),
    writeXml: written,
    read(sent, field) {
      const outOfRange = invalidField(`${field} must be between -${limit} and ${limit}.`)
      if (typeof sent === 'number' && Math.abs(sent) > limit) return outOfRange
      const text = typeof sent === 'number' ? plainDecimal(sent) : sent
      if (typeof text !== 'string') return invalidField(`${field} must be a number.`)
      if (text.trim() === '') return taken(undefined)

      const [match, sign, digits = '', fraction = '', exponent] = decimal.exec(text.trim()) ?? []
      const whole = digits.replace(/^0+/, '')
      const isZero = whole === '' && !/[1-9]/.test(fraction)
      // A zero in a form that is not stored (0.0E0 of a typed client's xs:double, or very many digits) is still a zero.
      const isPlain = exponent === undefined && fraction.length <= maxDigits
      if (match !== undefined && isZero && !isPlain) return taken('0')
      if (match === undefined || exponent !== undefined) {
        return invalidField(`${field} must be a plain decimal number, such as 45.5231.`)
      }
      // Compared as text: 90.0000000000000000000000001 is over 90, though as a number it is 90.
      const wholeValue = Number(whole)
      if (wholeValue > limit || (wholeValue === limit && /[1-9]/.test(fraction))) return outOfRange
      if (whole.length + fraction.length > maxDigits) {
        return invalidField(`${field} may have at most ${maxDigits} digits.`)
      }
      const minus = sign === '-' && !isZero ? '-' : ''
      return taken(`${minus}${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}`)
    },
  }
}

/**
 * A number within ±180 as String() writes it, with the exponent of a tiny one (1.5e-7) expanded, cut to the digits that
 * are stored.
 */
function plainDecimal(value: number): string {
  const [mantissa = '', exponent] = String(value).split('e')
  if (exponent === undefined) return mantissa
  const minus = value < 0 ? '-' : ''
  const digits = `${'0'.repeat(-Number(exponent) - 1)}${mantissa.replace(/[-.]/g, '')}`
  const fraction = digits.slice(0, maxDigits)
  return /[1-9]/.test(fraction) ? `${minus}0.${fraction}` : '0'
}

const timestampForm = /^(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d:\d\d)Z|T(\d\d:\d\d:\d\d)Z?)$/

/**
 * A time, in milliseconds since 1970 (UTC). Written to the second, truncated: `YYYY-MM-DD hh:mm:ssZ` in JSON (A2.1),
 * `YYYY-MM-DDThh:mm:ss` in XML (A2.2), both 24-hour UTC (C10). Either form is accepted in either format.
 */
export const timestamp: Kind<number> = {
  writeJson: (value) => `"${isoSeconds(value).replace('T', ' ')}Z"`,
  writeXml: isoSeconds,
  read(sent, field) {
    const [, day, jsonTime, xmlTime] = (typeof sent === 'string' && timestampForm.exec(sent.trim())) || []
    const iso = `${day}T${jsonTime ?? xmlTime}`
    const value = day === undefined ? Number.NaN : Date.parse(`${iso}Z`)
    // Date.parse rolls 30 February over into March, so the result must equal the input.
    if (Number.isNaN(value) || isoSeconds(value) !== iso) {
      return invalidField(`${field} must be a timestamp, such as 2026-07-31 18:05:09Z.`)
    }
    return taken(value)
  },
}

function isoSeconds(value: number): string {
  return new Date(value).toISOString().slice(0, 19)
}
