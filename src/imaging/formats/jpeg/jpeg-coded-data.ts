// The coded data of a JPEG as its blocks are followed through it, and why it is refused.
import type { Refusal } from '../../../errors.ts'
import { damaged } from '../../container-parts.ts'

/** Coded data between two markers with what only keeps markers apart taken out, and bytes of 0 behind it. */
export interface CodedData {
  readonly view: DataView
  readonly bits: number
}

/** Follows so many units from the start of the data. @returns the bits that they take. */
export type Follow = (data: CodedData, units: number) => number

export function endsEarly(): Refusal {
  return damaged('Its pixel data is truncated.')
}

export function badCode(): Refusal {
  return damaged('Its pixel data is damaged.')
}
