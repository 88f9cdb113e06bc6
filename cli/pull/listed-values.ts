// Values as other servers write them: IDs, text, and timestamps in the formats found in practice.
import { timestamp } from '../../src/shared/classic/kinds.ts'
import { replaceForbidden } from '../../src/shared/text/characters.ts'

/** @returns undefined if it is not an ID, and `too large` if it does not fit a JavaScript number. */
export function readId(text: string | undefined): number | 'too large' | undefined {
  const digits = text?.trim() ?? ''
  if (!/^\d{1,19}$/.test(digits) || /^0+$/.test(digits)) return undefined
  const id = Number(digits)
  return Number.isSafeInteger(id) ? id : 'too large'
}

export interface ListedTimestamp {
  /** Milliseconds since 1970 UTC, to the second. */
  readonly at: number
  /** How much later it may really be, given the precision of the format. */
  readonly unitMs: number
}

const secondMs = 1_000
const dayMs = 86_400_000
/** Years have four digits, in UTC too. */
const [firstMs, lastMs] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]
const isoTimestamp = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?\s?(Z|[+-]\d\d:\d\d)?$/
const americanDay = /^(\d\d)\/(\d\d)\/(\d\d|\d{4})$/

/** Two-digit years below 70 belong to this century. */
function yearOf(text: string): number {
  if (text.length === 4) return Number(text)
  return Number(text) + (Number(text) < 70 ? 2_000 : 1_900)
}

/** Undefined if there is no such day: Date.parse lets 30 February roll over into March. */
function midnightOf(day: string): number | undefined {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day)
  return isDay ? midnight : undefined
}

/** A timestamp in a format of A2 or A3, or an extension of one that other servers use; UTC if it has no zone. */
export function readTimestamp(text: string | undefined): ListedTimestamp | undefined {
  const written = text?.trim() ?? ''
  const plain = timestamp.read(written, 'date')
  if (plain.ok && plain.value !== undefined) return { at: plain.value, unitMs: secondMs }
  const [, day, time, zone = 'Z'] = isoTimestamp.exec(written) ?? []
  if (day !== undefined) {
    const at = midnightOf(day) === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone}`)
    return at >= firstMs && at <= lastMs ? { at, unitMs: secondMs } : undefined
  }
  const [, month = '', date = '', year = ''] = americanDay.exec(written) ?? []
  const iso = `${String(yearOf(year)).padStart(4, '0')}-${month}-${date}`
  const midnight = month === '' ? undefined : midnightOf(iso)
  return midnight === undefined ? undefined : { at: midnight, unitMs: dayMs }
}

/** The text without characters that XML forbids, and whether there were any. */
export function readText(text: string | undefined): { readonly text: string; readonly isWhole: boolean } {
  const written = text ?? ''
  const clean = replaceForbidden(written)
  return { text: clean, isWhole: clean === written }
}
