// The kinds that only routes have: a length in miles, a gpx, and the day of creation.
import { decimal, plainText, timestamp } from './kinds.ts'
import type { Kind } from './kinds.ts'
import { invalidField, taken } from './reading.ts'

/** The most that a length may be (C34): 40 times around the globe. */
export const maxMiles = 1_000_000
/** Characters; the interface gives no limit, and these are generous (C13). */
export const maxNameLength = 1_000
export const maxDescriptionLength = 100_000
/** What a number of JSON or XML carries without loss (C11). */
const maxDigits = 15
/** Longer zeros are normalised: nobody means that many digits. */
const maxTextLength = 40

/**
 * A length in miles: decimal text, a bare number in JSON. The client's digits are kept, up to 15 (C11). Blank and zero
 * say nothing (C34): typed clients send zeros for unknown values.
 */
export const miles: Kind<string> = {
  writeJson: (value) => value,
  writeXml: (value) => value,
  read(sent, field) {
    const wrong = invalidField(`${field} must be a number of miles from 0 to 1000000.`)
    const text = typeof sent === 'number' ? String(sent) : sent
    if (typeof text !== 'string') return wrong
    const trimmed = text.trim()
    if (trimmed === '') return taken(undefined)
    const [match, sign, whole = '', fraction = ''] = decimal.exec(trimmed) ?? []
    const value = Number(trimmed)
    if (match === undefined || value > maxMiles) return wrong
    if (value === 0) return taken(undefined)
    if (sign === '-') return wrong
    const kept = decimalText(trimmed, value, { whole: whole.replace(/^0+/, ''), fraction })
    return taken(kept === '0' ? undefined : kept) // of 1e-99 nothing is left
  },
}

/** In a form that JSON and XML share, since neither `+5`, `.5`, `5.` nor `1e3` is good in both. */
function decimalText(
  text: string,
  value: number,
  { whole, fraction }: { readonly whole: string; readonly fraction: string },
): string {
  const digits = (whole + fraction).replace(/^0+/, '').length
  const isPlain = !/e/i.test(text) && digits <= maxDigits && text.length <= maxTextLength
  if (!isPlain) return milesText(value)
  return `${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** A number of miles without exponent, in 15 digits at most. */
export function milesText(value: number): string {
  const [, exponent] = value.toExponential(maxDigits - 1).split('e')
  const decimals = maxDigits - 1 - Number(exponent)
  const fixed = value.toFixed(Math.max(0, Math.min(decimals, maxTextLength)))
  return fixed.includes('.') ? fixed.replace(/\.?0+$/, '') : fixed
}

/** A GPX of up to 8 MiB; gpx.ts decides whether it is valid. Empty is `""` (C12). */
export const gpxText: Kind<string> = {
  ...plainText,
  read: (sent, field) =>
    typeof sent === 'string'
      ? taken(sent)
      : invalidField(`${field} must be a string: a GPX document, or "".`),
}

/** A time of which JSON shows only the day, as `MM/DD/YY` in UTC (A3, C10). */
export const americanDay: Kind<number> = {
  ...timestamp,
  writeJson(value) {
    const [year = '', month, day] = new Date(value).toISOString().slice(0, 10).split('-')
    return `"${month}/${day}/${year.slice(-2)}"`
  },
}
