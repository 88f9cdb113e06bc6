// An approximate duration in familiar words.
import { locale } from '../../strings/language.ts'

const inUnit = (figure: number, unit: 'second' | 'minute' | 'hour'): string =>
  new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    maximumFractionDigits: 0,
  }).format(figure)

export function formatDuration(milliseconds: number): string {
  const seconds = milliseconds / 1_000
  // In steps of five, so that it does not flicker.
  if (seconds < 60) return inUnit(Math.max(5, Math.ceil(seconds / 5) * 5), 'second')
  return seconds < 5_400
    ? inUnit(Math.round(seconds / 60), 'minute')
    : inUnit(Math.round(seconds / 3_600), 'hour')
}
