// The coded data of a JPEG as it is followed block by block, and why it is refused.
import type { Refusal } from '../../../errors.ts'
import { damaged } from '../../container-parts.ts'

/** Coded data between two markers, without stuffed bytes, and with zeros after it. */
export interface CodedData {
  readonly view: DataView
  readonly bits: number
}

/** Follows a number of units from the start of the data. @returns the number of bits that they use. */
export type Follow = (data: CodedData, units: number) => number

export function endsEarly(): Refusal {
  return damaged('Its pixel data is truncated.')
}

export function badCode(): Refusal {
  return damaged('Its pixel data is damaged.')
}
