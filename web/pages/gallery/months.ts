// The months of a gallery for the scrubber: the height of each bar, and which years are labelled.
import type { TakenMonth } from '../../../client/client.ts'

export interface MonthBar extends TakenMonth {
  /** From 0 to 1; the fullest month is 1, and every bar is tall enough to be visible. */
  readonly height: number
  /** For the first month of a labelled year. */
  readonly year: string | undefined
}

const minHeight = 0.12

/** @param maxYears number of labels that fit. */
export function barsOf(months: readonly TakenMonth[], maxYears: number): readonly MonthBar[] {
  const max = months.reduce((most, { images }) => Math.max(most, images), 1)
  const years = [...new Set(months.map(({ month }) => month.slice(0, 4)))]
  const every = Math.ceil(years.length / maxYears)
  const named = new Set(years.filter((_year, index) => index % every === 0))
  let last: string | undefined
  return months.map(({ month, images }) => {
    const year = month.slice(0, 4)
    const isFirst = year !== last
    last = year
    return {
      month,
      images,
      height: Math.max(minHeight, images / max),
      year: isFirst && named.has(year) ? year : undefined,
    }
  })
}

/** The index of a month, or of the next one that has photos; 0 without one. */
export function indexOfMonth(months: readonly TakenMonth[], from: string | undefined): number {
  if (from === undefined) return 0
  const index = months.findIndex(({ month }) => month >= from)
  return index === -1 ? Math.max(0, months.length - 1) : index
}
