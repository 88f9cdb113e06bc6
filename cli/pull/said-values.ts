// Values as other servers write them: IDs, texts, and moments in the forms that are met.
import { moment } from '../../src/shared/classic/kinds.ts'
import { replaceForbidden } from '../../src/shared/text/characters.ts'

/** @returns undefined for what is no ID, and `too large` for one that no number of JavaScript holds. */
export function readId(text: string | undefined): number | 'too large' | undefined {
  const digits = text?.trim() ?? ''
  if (!/^\d{1,19}$/.test(digits) || /^0+$/.test(digits)) return undefined
  const id = Number(digits)
  return Number.isSafeInteger(id) ? id : 'too large'
}

export interface SaidMoment {
  /** Milliseconds since 1970 UTC, to the second. */
  readonly at: number
  /** How long it may be after that. */
  readonly unitMs: number
}

const secondMs = 1_000
const dayMs = 86_400_000
const isoMoment = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?\s?(Z|[+-]\d\d:\d\d)?$/
const americanDay = /^(\d\d)\/(\d\d)\/(\d\d|\d{4})$/

/** Of two digits, those below 70 are of this century. */
function yearOf(text: string): number {
  if (text.length === 4) return Number(text)
  return Number(text) + (Number(text) < 70 ? 2_000 : 1_900)
}

/** Undefined for what is no day: Date.parse lets 30 February roll over into March. */
function midnightOf(day: string): number | undefined {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day)
  return isDay ? midnight : undefined
}

/** A moment in a form of A2 or A3, or as other servers extend them; without a zone it is UTC. */
export function readMoment(text: string | undefined): SaidMoment | undefined {
  const said = text?.trim() ?? ''
  const plain = moment.read(said, 'date')
  if (plain.ok && plain.value !== undefined) return { at: plain.value, unitMs: secondMs }
  const [, day, time, zone = 'Z'] = isoMoment.exec(said) ?? []
  if (day !== undefined) {
    const at = midnightOf(day) === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone}`)
    return Number.isNaN(at) ? undefined : { at, unitMs: secondMs }
  }
  const [, month = '', date = '', year = ''] = americanDay.exec(said) ?? []
  const iso = `${String(yearOf(year)).padStart(4, '0')}-${month}-${date}`
  const midnight = month === '' ? undefined : midnightOf(iso)
  return midnight === undefined ? undefined : { at: midnight, unitMs: dayMs }
}

/** Text without what XML forbids, and whether there was any of it. */
export function readText(text: string | undefined): { readonly text: string; readonly isWhole: boolean } {
  const said = text ?? ''
  const clean = replaceForbidden(said)
  return { text: clean, isWhole: clean === said }
}
