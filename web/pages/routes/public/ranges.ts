// Ranges of distance and ascent in URLs, `5-10` or `-5` or `10-`, and the choices offered.
import type { Preferences } from '../../../ui/preferences.ts'

export interface Range {
  readonly min: number | undefined
  readonly max: number | undefined
}

const form = /^(\d{1,6}(?:\.\d{1,6})?)?-(\d{1,6}(?:\.\d{1,6})?)?$/

/** @returns undefined if it is not a range. */
export function readRange(text: unknown): Range | undefined {
  const [whole, min, max] = (typeof text === 'string' ? form.exec(text.trim()) : null) ?? []
  if (whole === undefined || whole === '-') return undefined
  return {
    min: min === undefined ? undefined : Number(min),
    max: max === undefined ? undefined : Number(max),
  }
}

const kilometresOfMile = 1.609344
const metresOfFoot = 0.3048

/** Round numbers in the user's units. */
const distances = { miles: [3, 6, 12, 20], kilometres: [5, 10, 20, 30] } as const
const ascents = { miles: [500, 1_500, 3_000], kilometres: [200, 500, 1_000] } as const

/** In the URL's units, rounded to a few digits. */
function rangesBetween(steps: readonly number[], unit: number): readonly string[] {
  const texts = steps.map((step) => String(Number((step * unit).toFixed(3))))
  return [...texts, ''].map((max, at) => `${texts[at - 1] ?? ''}-${max}`)
}

export const distanceRanges = (units: Preferences['units']): readonly string[] =>
  rangesBetween(distances[units], units === 'miles' ? 1 : 1 / kilometresOfMile)

export const ascentRanges = (units: Preferences['units']): readonly string[] =>
  rangesBetween(ascents[units], units === 'miles' ? metresOfFoot : 1)
