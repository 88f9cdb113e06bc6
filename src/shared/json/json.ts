// Classic JSON: writes shapes, bare numbers and true; reads a body strictly.
import type { Fields, ResourceOf, Shape } from '../classic/classic-shapes.ts'
import { atOnce } from '../yielding.ts'
import { scanningJson } from './json-scan.ts'
import type { Gap, JsonLimits, LongValue } from './json-scan.ts'
import type { LongText } from '../text/long-text.ts'
import { malformed, placing, taken } from '../classic/reading.ts'
import type { Reading } from '../classic/reading.ts'
import { decodingLongText } from '../text/text-encoding.ts'
import { maxSliceCharacters, slicesOf } from '../text/text-slices.ts'

/** One resource as a JSON object, keys in the order of its table. */
export function writeJson<F extends Fields>(shape: Shape<F>, value: ResourceOf<F>): string {
  let text = ''
  for (const chunk of jsonChunks(shape, value)) text += chunk
  return text
}

/**
 * The same in pieces, so that nobody waits for the whole of it: a text longer than a slice is written slice by
 * slice, and whatever is short stands with what is around it. Most resources are one piece.
 */
export function* jsonChunks<F extends Fields>(
  shape: Shape<F>,
  value: ResourceOf<F>,
): Generator<string, void> {
  const values: Readonly<Record<string, unknown>> = value
  // In JSON text a slash stands nowhere but inside strings, so a piece may be treated as a whole.
  const finished = (text: string): string => (shape.escapesSlashes ? text.replaceAll('/', '\\/') : text)
  let chunk = '{'
  let isFirst = true
  for (const { name, kind } of shape.jsonFields) {
    chunk += isFirst ? `"${name}":` : `,"${name}":`
    isFirst = false
    const text = kind.jsonText?.(values[name])
    if (text === undefined || text.length <= maxSliceCharacters) {
      chunk += kind.writeJson(values[name])
      continue
    }
    yield finished(`${chunk}"`)
    for (const slice of slicesOf(text)) yield finished(JSON.stringify(slice).slice(1, -1))
    chunk = '"'
  }
  yield finished(`${chunk}}`)
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
   * together with `maxValues`, since it looks at each value.
   */
  readonly digitsOf?: string
  /**
   * Of a long object only members of these names are kept, for a reader that reads past all others: the table of an
   * object of a million names grows in steps of 50 ms.
   */
  readonly names?: ReadonlySet<string>
}

/**
 * The same for a body of any length, in steps of a few milliseconds. JSON.parse alone cannot be interrupted: whatever is
 * long is put together here, of parts that JSON.parse gets.
 */
export function* readingJson(
  bytes: Uint8Array,
  options: JsonReadingOptions = {},
): Generator<undefined, Reading<unknown>> {
  const decoded = yield* decodingLongText(bytes, 'utf-8')
  return decoded.ok ? yield* readingJsonText(decoded.value, options) : decoded
}

/** The same of text that was decoded already, so that the memory of its bytes may be released before. */
export function* readingJsonText(
  text: LongText,
  { maxValues, digitsOf, names }: JsonReadingOptions = {},
): Generator<undefined, Reading<unknown>> {
  const { problem, start, end, long, gaps } = yield* scanningJson(text, { maxValues })
  if (problem !== undefined) return malformed(problem.sentence, yield* placing(text, problem.index))
  const parse: Parse =
    digitsOf === undefined
      ? (part) => JSON.parse(part)
      : (part) =>
          JSON.parse(part, (name: string, value: unknown, context?: { readonly source?: string }) =>
            typeof value === 'number' && name === digitsOf ? (context?.source ?? String(value)) : value,
          )
  if (!long) return taken(parse(text.slice(start, end)))
  return taken(yield* building({ text, gaps, parse, names }, long))
}

type Parse = (part: string) => unknown

interface Source {
  readonly text: LongText
  readonly gaps: readonly Gap[]
  readonly parse: Parse
  readonly names: ReadonlySet<string> | undefined
}

function building(source: Source, value: LongValue): Generator<undefined, unknown> {
  if (value.kind === 'string') return unescaping(source.text, value.cuts)
  return value.kind === 'array' ? buildingArray(source, value) : buildingObject(source, value)
}

/** The text without its long space. */
function denseSlice({ text, gaps }: Source, from: number, until: number): string {
  let dense = ''
  let at = from
  for (const { start, end } of gaps) {
    if (end <= from || start >= until) continue
    dense += text.slice(at, start)
    at = end
  }
  return dense + text.slice(at, until)
}

interface Part {
  /** Members that are short, or the one long. */
  readonly text: string
  readonly long: LongValue | undefined
}

/** The members of a container, in order: as many short ones together as are parsed at once. */
function* partsOf(source: Source, { start, end, cuts, inner }: LongValue): Generator<Part, void> {
  let from = start + 1
  let cutAt = 0
  function* short(until: number): Generator<Part, void> {
    for (; cutAt < cuts.length && (cuts[cutAt] ?? 0) < until; cutAt += 1) {
      const cut = cuts[cutAt] ?? 0
      if (cut > from) yield { text: denseSlice(source, from, cut), long: undefined }
      from = Math.max(from, cut + 1)
    }
    if (until > from) yield { text: denseSlice(source, from, until), long: undefined }
  }
  for (const long of inner) {
    // Without the comma between.
    yield* short(long.memberStart - 1)
    yield { text: denseSlice(source, long.memberStart, long.start), long }
    from = long.next ?? end
  }
  yield* short(end - 1)
}

function* buildingArray(source: Source, value: LongValue): Generator<undefined, unknown[]> {
  const values: unknown[] = []
  for (const { text: members, long } of partsOf(source, value)) {
    if (long) values.push(yield* building(source, long))
    else for (const member of source.parse(`[${members}]`) as unknown[]) values.push(member)
    yield
  }
  return values
}

function* buildingObject(source: Source, value: LongValue): Generator<undefined, Record<string, unknown>> {
  const { parse, names } = source
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
  for (const { text: members, long } of partsOf(source, value)) {
    const parsed = parse(long ? `{${members}0}` : `{${members}}`) as Record<string, unknown>
    for (const [name, member] of Object.entries(parsed))
      if (names?.has(name) !== false) set(name, long ? yield* building(source, long) : member)
    yield
  }
  return object
}

/** Some 1 ms of JSON.parse. */
const stepCharacters = 128 * 1024

/** The string of a literal, read from cut to cut. */
function* unescaping(text: LongText, cuts: readonly number[]): Generator<undefined, string> {
  let value = ''
  let [from = 0] = cuts
  let untilTurn = stepCharacters
  for (const cut of cuts) {
    const chunk: unknown = JSON.parse(`"${text.slice(from, cut)}"`)
    if (typeof chunk === 'string') value += chunk
    untilTurn -= cut - from
    from = cut
    if (untilTurn > 0) continue
    untilTurn = stepCharacters
    yield
  }
  return value
}
