// When a photo was taken and where it looks, as people read it: the clock and the day of the place, wherever the reader is.
import { byLocale } from '../strings/language.ts'

const timeZone = 'UTC'
const day = byLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }))
const dayAndTime = byLocale(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }),
)
const month = byLocale(
  (locale) => new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone }),
)
const relative = byLocale((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }))

/** "14 May 2026". @param takenOn such as 2026-05-14. */
export const formatTakenDay = (takenOn: string): string => day().format(new Date(`${takenOn}T00:00:00Z`))

/** "May 2026". @param name such as 2026-05. */
export const formatMonth = (name: string): string => month().format(new Date(`${name}-01T00:00:00Z`))

/**
 * "14 May 2026, 09:08 (UTC+2)": what the clock there showed, and how far it is ahead.
 * @param takenAt RFC 3339 with an offset, as v2 tells it.
 */
export function formatTakenAt(takenAt: string): string {
  const [, local = '', sign = '+', hours = '0', minutes = '0'] =
    /^(.{19}).*?([+-])(\d\d):(\d\d)$/.exec(takenAt) ?? []
  const rest = minutes === '00' ? '' : `:${minutes}`
  const ahead = Number(hours) === 0 && rest === '' ? '' : `${sign === '-' ? '−' : '+'}${Number(hours)}${rest}`
  return `${dayAndTime().format(new Date(`${local}Z`))} (UTC${ahead})`
}

const numbersOf = (date: string): readonly [number, number, number] => [
  Number(date.slice(0, 4)),
  Number(date.slice(5, 7)),
  Number(date.slice(8, 10)),
]

const localDay = (now: Date): string =>
  new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)

/**
 * "3 years ago", by the calendar: whole years, else whole months, else days. Tomorrow is today: it has come
 * further east. Undefined for later days, which only a wrong clock of the camera tells.
 */
export function formatTakenAgo(takenOn: string, now = new Date()): string | undefined {
  const today = localDay(now)
  const [year, monthNumber, date] = numbersOf(takenOn)
  const [thisYear, thisMonth, thisDate] = numbersOf(today)
  const months = (thisYear - year) * 12 + thisMonth - monthNumber - (thisDate < date ? 1 : 0)
  if (months >= 12) return relative().format(-Math.floor(months / 12), 'year')
  if (months >= 1) return relative().format(-months, 'month')
  const days = Math.round((Date.parse(today) - Date.parse(takenOn)) / 86_400_000)
  if (days < -1) return undefined
  return relative().format(-Math.max(0, days), 'day')
}

/** Which of the eight points of the compass, from 0 for north clockwise. */
export const compassPoint = (degrees: number): number => Math.round(degrees / 45) % 8
