// Classic JSON: writes shapes, bare numbers and true; reads a body strictly.
import type { Fields, ResourceOf, Shape } from './classic-shapes.ts'
import { atOnce } from './in-turns.ts'
import { scanningJson } from './json-scan.ts'
import type { JsonLimits, LongValue } from './json-scan.ts'
import { malformed, placing, taken } from './reading.ts'
import type { Reading } from './reading.ts'
import { decodingText } from './text-encoding.ts'
import { mostSliceCharacters, slicesOf } from './text-slices.ts'

/** One resource as a JSON object, keys in the order of its table. */
export function writeJson<F extends Fields>(shape: Shape<F>, value: ResourceOf<F>): string {
  let text = ''
  for (const piece of jsonPieces(shape, value)) text += piece
  return text
}

/**
 * The same in pieces, so that nobody waits for the whole of it: a text longer than a slice is written slice by
 * slice, and whatever is short stands with what is around it. Most resources are one piece.
 */
export function* jsonPieces<F extends Fields>(
  shape: Shape<F>,
  value: ResourceOf<F>,
): Generator<string, void> {
  const values: Readonly<Record<string, unknown>> = value
  // In JSON text a slash stands nowhere but inside strings, so a piece may be treated as a whole.
  const finished = (text: string): string => (shape.escapesSlashes ? text.replaceAll('/', '\\/') : text)
  let piece = '{'
  let isFirst = true
  for (const { name, kind } of shape.jsonFields) {
    piece += isFirst ? `"${name}":` : `,"${name}":`
    isFirst = false
    const text = kind.jsonText?.(values[name])
    if (text === undefined || text.length <= mostSliceCharacters) {
      piece += kind.writeJson(values[name])
      continue
    }
    yield finished(`${piece}"`)
    for (const slice of slicesOf(text)) yield finished(JSON.stringify(slice).slice(1, -1))
    piece = '"'
  }
  yield finished(`${piece}}`)
}

/** What stands around the resources of a list. */
export const jsonListFrame = { before: '[', between: ',', after: ']' } as const

export function writeJsonList<F extends Fields>(shape: Shape<F>, values: readonly ResourceOf<F>[]): string {
  const { before, between, after } = jsonListFrame
  return `${before}${values.map((value) => writeJson(shape, value)).join(between)}${after}`
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
  return atOnce(readingJson(bytes))
}

export interface JsonReadingOptions extends JsonLimits {
  /**
   * A number under this name, however deep, is given as the text of its digits as they were sent. Only
   * together with `mostValues`, since it looks at each value.
   */
  readonly digitsOf?: string
}

/**
 * The same for a body of any length, in steps of a few milliseconds. JSON.parse alone cannot be interrupted: whatever is
 * long is put together here, of parts that JSON.parse gets.
 */
export function* readingJson(
  bytes: Uint8Array,
  options: JsonReadingOptions = {},
): Generator<undefined, Reading<unknown>> {
  const decoded = yield* decodingText(bytes, 'utf-8')
  return decoded.ok ? yield* readingJsonText(decoded.value, options) : decoded
}

/** The same of text that was decoded already, so that the memory of its bytes may be given back before. */
export function* readingJsonText(
  text: string,
  { mostValues, digitsOf }: JsonReadingOptions = {},
): Generator<undefined, Reading<unknown>> {
  const { problem, start, end, long } = yield* scanningJson(text, { mostValues })
  if (problem !== undefined) return malformed(problem.sentence, yield* placing(text, problem.index))
  const parse: Parse =
    digitsOf === undefined
      ? (part) => JSON.parse(part)
      : (part) =>
          JSON.parse(part, (name: string, value: unknown, context?: { readonly source?: string }) =>
            typeof value === 'number' && name === digitsOf ? (context?.source ?? String(value)) : value,
          )
  return taken(long ? yield* building(text, long, parse) : parse(text.slice(start, end)))
}

type Parse = (part: string) => unknown

function building(text: string, value: LongValue, parse: Parse): Generator<undefined, unknown> {
  if (value.kind === 'string') return unescaping(text, value.cuts)
  return value.kind === 'array' ? buildingArray(text, value, parse) : buildingObject(text, value, parse)
}

interface Part {
  /** Members that are short, or the one long. */
  readonly text: string
  readonly long: LongValue | undefined
}

/** The members of a container, in order: as many short ones together as are parsed at once. */
function* partsOf(text: string, { start, end, cuts, inner }: LongValue): Generator<Part, void> {
  let from = start + 1
  let cutAt = 0
  function* short(until: number): Generator<Part, void> {
    for (; cutAt < cuts.length && (cuts[cutAt] ?? 0) < until; cutAt += 1) {
      const cut = cuts[cutAt] ?? 0
      if (cut > from) yield { text: text.slice(from, cut), long: undefined }
      from = Math.max(from, cut + 1)
    }
    if (until > from) yield { text: text.slice(from, until), long: undefined }
  }
  for (const long of inner) {
    // Without the comma between.
    yield* short(long.memberStart - 1)
    yield { text: text.slice(long.memberStart, long.start), long }
    const comma = text.indexOf(',', long.end)
    const isLast = comma === -1 || comma >= end || text.slice(long.end, comma).trim() !== ''
    from = isLast ? end : comma + 1
  }
  yield* short(end - 1)
}

function* buildingArray(text: string, value: LongValue, parse: Parse): Generator<undefined, unknown[]> {
  const values: unknown[] = []
  for (const { text: members, long } of partsOf(text, value)) {
    if (long) values.push(yield* building(text, long, parse))
    else for (const member of parse(`[${members}]`) as unknown[]) values.push(member)
    yield
  }
  return values
}

function* buildingObject(
  text: string,
  value: LongValue,
  parse: Parse,
): Generator<undefined, Record<string, unknown>> {
  const object: Record<string, unknown> = {}
  const set = (name: string, member: unknown): void => {
    // As JSON.parse has it, which knows no prototype.
    if (name !== '__proto__') object[name] = member
    else
      Object.defineProperty(object, name, {
        value: member,
        writable: true,
        enumerable: true,
        configurable: true,
      })
  }
  for (const { text: members, long } of partsOf(text, value)) {
    const parsed = parse(long ? `{${members}0}` : `{${members}}`) as Record<string, unknown>
    for (const [name, member] of Object.entries(parsed))
      set(name, long ? yield* building(text, long, parse) : member)
    yield
  }
  return object
}

/** Some 1 ms of JSON.parse. */
const stepCharacters = 128 * 1024

/** The string of a literal, read from cut to cut. */
function* unescaping(text: string, cuts: readonly number[]): Generator<undefined, string> {
  let value = ''
  let [from = 0] = cuts
  let untilTurn = stepCharacters
  for (const cut of cuts) {
    const piece: unknown = JSON.parse(`"${text.slice(from, cut)}"`)
    if (typeof piece === 'string') value += piece
    untilTurn -= cut - from
    from = cut
    if (untilTurn > 0) continue
    untilTurn = stepCharacters
    yield
  }
  return value
}
