// Dates, numbers, distances and sizes as people of the browser's language read them.
import { byLocale } from '../strings/language.ts'
import { usePreferences, type Preferences } from './preferences.ts'

const kilometresPerMile = 1.609344
const feetPerMetre = 1 / 0.3048

const day = byLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }))
const dayInUtc = byLocale(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }),
)
const dayAndTime = byLocale(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }),
)
const relative = byLocale((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }))
const whole = byLocale((locale) => new Intl.NumberFormat(locale))

export const formatDay = (at: string | number | Date): string => day().format(new Date(at))
/** For what is written before anybody knows the reader's time zone. */
export const formatDayInUtc = (at: string | number | Date): string => dayInUtc().format(new Date(at))
export const formatDateTime = (at: string | number | Date): string => dayAndTime().format(new Date(at))
export const formatCount = (count: number): string => whole().format(count)

const steps = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** "3 hours ago", "in 2 days", "now". */
export function formatAgo(at: string | number | Date, now = Date.now()): string {
  const seconds = (new Date(at).getTime() - now) / 1_000
  for (const [index, [unit, length]] of steps.entries()) {
    // What rounds to a whole one in the smaller unit is one: an hour, not 60 minutes.
    const smaller = steps[index + 1]?.[1] ?? 0
    if (Math.abs(seconds) >= length - smaller / 2)
      return relative().format(Math.round(seconds / length), unit)
  }
  return relative().format(0, 'second')
}

/** As many as there are combinations of units and digits below; making one takes as long as using it a hundred times. */
const numbers = byLocale((locale) => {
  const made = new Map<string, Intl.NumberFormat>()
  return (options: Intl.NumberFormatOptions): Intl.NumberFormat => {
    const name = JSON.stringify(options)
    const format = made.get(name) ?? new Intl.NumberFormat(locale, options)
    made.set(name, format)
    return format
  }
})

export const numberIn = (options: Intl.NumberFormatOptions, figure: number): string =>
  numbers()(options).format(figure)

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** In powers of 1,024, as the contract has its 8 MB and most systems show files. */
export function formatBytes(bytes: number): string {
  const step = Math.min(byteUnits.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const unit = byteUnits[step] ?? 'byte'
  const figure = bytes / 1_024 ** step
  const digits = figure < 10 && step > 0 && !Number.isInteger(figure) ? 1 : 0
  return numberIn({ style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: digits }, figure)
}

/** @param miles as the contract has every length. */
export function formatLength(miles: number, units: Preferences['units']): string {
  const figure = units === 'miles' ? miles : miles * kilometresPerMile
  const digits = figure < 10 ? 2 : 1
  const unit = units === 'miles' ? 'mile' : 'kilometer'
  return numberIn(
    { style: 'unit', unit, maximumFractionDigits: digits, minimumFractionDigits: digits },
    figure,
  )
}

/** A round distance, such as people choose from: "5 km"; one of other units is as exact as any. */
export function formatAbout(miles: number, units: Preferences['units']): string {
  const figure = units === 'miles' ? miles : miles * kilometresPerMile
  if (Math.abs(figure - Math.round(figure)) > 0.01) return formatLength(miles, units)
  const unit = units === 'miles' ? 'mile' : 'kilometer'
  return numberIn({ style: 'unit', unit, maximumFractionDigits: 0 }, figure)
}

export function formatHeight(metres: number, units: Preferences['units']): string {
  const unit = units === 'miles' ? 'foot' : 'meter'
  const figure = units === 'miles' ? metres * feetPerMetre : metres
  return numberIn({ style: 'unit', unit, maximumFractionDigits: 0 }, figure)
}

/** Short distances, such as from a photo to its trail. */
export function formatMetres(metres: number, units: Preferences['units']): string {
  const isFar = metres >= 1_000
  return isFar ? formatLength(metres / 1_609.344, units) : formatHeight(metres, units)
}

/** Degrees to the metre or so; null is unknown. */
export const formatPosition = (lat: number, lon: number): string => `${lat.toFixed(5)}, ${lon.toFixed(5)}`

/** The same functions, with the units that the person prefers. */
export function useFormat() {
  const { units } = usePreferences()
  return {
    length: (miles: number) => formatLength(miles, units),
    height: (metres: number) => formatHeight(metres, units),
    metres: (metres: number) => formatMetres(metres, units),
    distance: (miles: number) => formatDistance(miles, units),
    figure: (miles: number) => formatFigure(miles, units),
    units,
  }
}

/** Along a trail: "3.2 mi", without what nobody could see on a scale. */
export function formatDistance(miles: number, units: Preferences['units']): string {
  const unit = units === 'miles' ? 'mile' : 'kilometer'
  const figure = units === 'miles' ? miles : miles * kilometresPerMile
  return numberIn({ style: 'unit', unit, maximumFractionDigits: 1 }, figure)
}

/** "3.2", where its unit stands beside it. */
export function formatFigure(miles: number, units: Preferences['units']): string {
  const figure = units === 'miles' ? miles : miles * kilometresPerMile
  return numberIn({ maximumFractionDigits: 1, minimumFractionDigits: 1 }, figure)
}
