// Classic JSON: writes shapes, bare numbers and true; reads a body strictly.
import type { Fields, ResourceOf, Shape } from './classic-shapes.ts'
import { findJsonProblem } from './json-scan.ts'
import { malformed, placeOf, taken } from './reading.ts'
import type { Reading } from './reading.ts'
import { decodeText } from './text-encoding.ts'

/** One resource as a JSON object, keys in the order of its table. */
export function writeJson<F extends Fields>(shape: Shape<F>, value: ResourceOf<F>): string {
  const values: Readonly<Record<string, unknown>> = value
  const members = shape.jsonFields.map(({ name, kind }) => `"${name}":${kind.writeJson(values[name])}`)
  const text = `{${members.join(',')}}`
  // In JSON text a slash stands nowhere but inside strings, so the whole text may be treated at once.
  return shape.escapesSlashes ? text.replaceAll('/', '\\/') : text
}

export function writeJsonList<F extends Fields>(shape: Shape<F>, values: readonly ResourceOf<F>[]): string {
  return `[${values.map((value) => writeJson(shape, value)).join(',')}]`
}

/** The answer to a POST: the new id, bare. */
export function writeJsonLong(value: number): string {
  return String(value)
}

/** The answer to a PUT or DELETE: `true`, bare. */
export function writeJsonBoolean(value: boolean): string {
  return String(value)
}

/**
 * Reads a JSON body: UTF-8 alone (a byte-order mark is overlooked), RFC 8259 to the letter, at most 64 levels
 * deep, and no character in any string that XML 1.0 could not carry (C8). Of a name that stands twice the
 * last one counts, as with JSON.parse. Time and memory are linear in the length.
 */
export function readJson(bytes: Uint8Array): Reading<unknown> {
  const text = decodeText(bytes, 'utf-8')
  if (!text.ok) return text
  const problem = findJsonProblem(text.value)
  if (problem !== undefined) return malformed(problem.sentence, placeOf(text.value, problem.index))
  return taken(JSON.parse(text.value))
}
