// A number with what it counts, in one or in many.
import { formatCount } from '../ui/format.ts'

/** `1 trail`, `1,204 trails`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`
