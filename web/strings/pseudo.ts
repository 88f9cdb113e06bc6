// The pseudo-locale: English with accents and 40 % longer, for the browser tests.
import { pseudoText } from '../../src/shared/text/pseudo.ts'

/** Every text of a catalogue, and every text that its functions return. */
export function pseudo<T>(value: T): T {
  if (typeof value === 'string') return pseudoText(value) as T
  if (typeof value === 'function') {
    return ((...values: readonly unknown[]) => pseudo(Reflect.apply(value, undefined, values))) as T
  }
  if (Array.isArray(value)) return value.map((one: unknown) => pseudo(one)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, pseudo<unknown>(one)])) as T
}
