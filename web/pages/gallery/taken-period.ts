// A year or month in which photos were taken: in URLs, as dates, and which of them a gallery has.
import type { TakenMonth } from '../../../client/client.ts'

export const isTaken = (text: unknown): text is string =>
  typeof text === 'string' && /^\d{4}(?:-(?:0[1-9]|1[0-2]))?$/.test(text)

/** The first and the last day. @param taken such as 2026 or 2026-05. */
export function daysOf(taken: string): { readonly from: string; readonly to: string } {
  const [year = '', month] = taken.split('-')
  if (month === undefined) return { from: `${year}-01-01`, to: `${year}-12-31` }
  const last = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return { from: `${taken}-01`, to: `${taken}-${last}` }
}

export interface TakenYear {
  readonly year: string
  readonly images: number
  /** The months that have photos, earliest first. */
  readonly months: readonly TakenMonth[]
}

/** Latest first. */
export function yearsOf(months: readonly TakenMonth[]): readonly TakenYear[] {
  const years = new Map<string, TakenMonth[]>()
  for (const month of months) {
    const year = month.month.slice(0, 4)
    years.set(year, [...(years.get(year) ?? []), month])
  }
  return [...years]
    .map(([year, of]) => ({ year, months: of, images: of.reduce((sum, { images }) => sum + images, 0) }))
    .toSorted((one, other) => (one.year < other.year ? 1 : -1))
}
