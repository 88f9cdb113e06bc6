// A box in URLs: west,south,east,north with commas.
import type { Bounds } from './kinds.ts'

/** About ten metres: precise enough for an area chosen by a person. */
const decimals = 4

export const writeBox = (bounds: Bounds): string =>
  bounds.map((degrees) => String(Number(degrees.toFixed(decimals)))).join(',')

/** @returns undefined if it is not a box. */
export function readBox(text: unknown): Bounds | undefined {
  if (typeof text !== 'string') return undefined
  const parts = text.split(',')
  const [west = NaN, south = NaN, east = NaN, north = NaN] = parts.map((part) =>
    part.trim() === '' ? NaN : Number(part),
  )
  const isBox =
    parts.length === 4 &&
    [west, east].every((lon) => lon >= -180 && lon <= 180) &&
    [south, north].every((lat) => lat >= -90 && lat <= 90) &&
    south <= north
  return isBox ? [west, south, east, north] : undefined
}
