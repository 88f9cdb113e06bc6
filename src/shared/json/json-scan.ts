// Finds the first thing that is wrong with a JSON text, without recursion, before anything parses it.
import { isForbiddenUnit, isHighSurrogate, isLowSurrogate } from '../text/characters.ts'
import { atOnce } from '../yielding.ts'
import { viewOf, type LongText, type TextView } from '../text/long-text.ts'
import { maxDepth } from '../classic/reading.ts'

export interface JsonProblem {
  /** A sentence without its full stop. */
  readonly sentence: string
  /** Where in the text. */
  readonly index: number
}

type Closer = '}' | ']'
type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | 'colon' | 'comma' | 'end'

const expectedWords: Readonly<Record<Expected, string>> = {
  value: 'a value',
  'value or ]': 'a value or ]',
  name: 'a name in double quotes',
  'name or }': 'a name in double quotes or }',
  colon: 'a colon',
  comma: 'a comma or the closing bracket',
  end: 'the end of the body',
}

const maxSpaceAtOnce = 16 * 1024
const space = /[\t\n\r ]{0,16384}/y
const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y

/** Of a name or a number, which JSON.parse takes whole. No other token but a string is as long. */
const maxTokenCharacters = 16 * 1024
const longNumber = /-?\d[-+.\dEe]{16384}/y

/** A value that is too long to be parsed whole. Whatever holds one is long, too. */
export interface LongValue {
  readonly kind: 'string' | 'array' | 'object'
  /** Where it begins and ends, with its brackets or quotes. */
  readonly start: number
  readonly end: number
  /** Where the member of its container begins that it is: at its name, if it has one. */
  readonly memberStart: number
  /** Of a string: places that cut no escape in two, its ends among them. Of others: commas between members. */
  readonly cuts: readonly number[]
  readonly inner: readonly LongValue[]
  /** Where the next member of its container begins, if there is one. */
  next?: number
}

export interface JsonScan {
  readonly problem: JsonProblem | undefined
  /** Where the one value begins and ends. */
  readonly start: number
  readonly end: number
  /** That value, where it is long. */
  readonly long: LongValue | undefined
  /** Where long space begins and ends, which nobody need parse. */
  readonly gaps: readonly Gap[]
}

export interface Gap {
  readonly start: number
  readonly end: number
}

interface Open {
  readonly closer: Closer
  readonly start: number
  readonly memberStart: number
  readonly cuts: number[]
  readonly inner: LongValue[]
  /** Behind the last comma. */
  next: number
}

export interface JsonLimits {
  /** Objects, arrays, strings, numbers, true, false and null, all counted. */
  readonly maxValues?: number | undefined
}

/** The first problem of a text; undefined means JSON.parse will take it. */
export function findJsonProblem(text: string): JsonProblem | undefined {
  return atOnce(scanningJson(text, {})).problem
}

/** Characters of strings, or tokens as dear as so many characters, in some 1 ms. */
const stepCharacters = 128 * 1024
const charactersOfToken = 16
/** Of a string that is long, what is unescaped at once. */
const cutCharacters = 1024
/** What JSON.parse gets whole: it cannot be interrupted. */
const longCharacters = 16 * 1024

/**
 * The first problem of a text that is no JSON of RFC 8259, is nested deeper than 64, or holds in a string
 * what XML 1.0 forbids. A scan of our own, because a parser that reports places builds a tree: for a body of
 * 8 MiB the one tried took 4.8 s and 1.2 GB.
 */
export function* scanningJson(
  text: LongText,
  { maxValues = Infinity }: JsonLimits,
): Generator<undefined, JsonScan> {
  const view = viewOf(text)
  const open: Open[] = []
  const gaps: Gap[] = []
  let long: LongValue | undefined
  const fault = (problem: JsonProblem): JsonScan => ({ problem, start: 0, end: 0, long: undefined, gaps })
  const keep = (value: LongValue): void => {
    if (value.end - value.start <= longCharacters) return
    const container = open.at(-1)
    if (container) container.inner.push(value)
    else long = value
  }
  let expected: Expected = 'value'
  let index = yield* skippingSpace(view, 0, gaps)
  const start = index
  let end = index
  let values = 0
  let turnAt = index + stepCharacters

  while (index < text.length) {
    const character = view.charAt(index)
    const wanted: Expected = expected
    const takesValue: boolean = wanted === 'value' || wanted === 'value or ]'
    const takesName: boolean = wanted === 'name' || wanted === 'name or }'
    let next: number | undefined = index + 1

    if (takesValue && character !== ']') {
      values += 1
      if (values > maxValues) return fault({ sentence: `The body has more than ${maxValues} values`, index })
    }
    if (takesValue && (character === '{' || character === '[')) {
      if (open.length === maxDepth) return fault({ sentence: `Nesting is deeper than ${maxDepth}`, index })
      const memberStart = open.at(-1)?.next ?? index
      const closer = character === '{' ? '}' : ']'
      open.push({ closer, start: index, memberStart, cuts: [], inner: [], next: index + 1 })
      expected = character === '{' ? 'name or }' : 'value or ]'
    } else if (character === open.at(-1)?.closer && (wanted === 'comma' || wanted.endsWith(character))) {
      const { closer, next: _, ...closed } = open.pop() as Open
      keep({ ...closed, kind: closer === '}' ? 'object' : 'array', end: index + 1 })
      expected = afterValue(open)
    } else if (wanted === 'comma' && character === ',') {
      const container = open.at(-1) as Open
      if (index - (container.cuts.at(-1) ?? container.start) >= longCharacters) container.cuts.push(index)
      container.next = index + 1
      const last = container.inner.at(-1)
      if (last) last.next ??= index + 1
      expected = container.closer === '}' ? 'name' : 'value'
    } else if (wanted === 'colon' && character === ':') {
      expected = 'value'
    } else if ((takesValue || takesName) && character === '"') {
      const cuts = [index + 1]
      let run = scanRun(view, index + 1)
      while (typeof run === 'number' && run < text.length && view.charCodeAt(run) !== quote) {
        if (run - (cuts.at(-1) ?? 0) >= cutCharacters) cuts.push(run)
        if (run > turnAt) {
          yield
          turnAt = run + stepCharacters
        }
        run = scanRun(view, run)
      }
      if (typeof run !== 'number') return fault(run)
      if (run >= text.length) return fault({ sentence: 'Not JSON: unterminated string', index })
      if (takesName && run - index > maxTokenCharacters) return fault(tooLong('name', index))
      cuts.push(run)
      const memberStart = open.at(-1)?.next ?? index
      if (takesValue) keep({ kind: 'string', start: index, end: run + 1, memberStart, cuts, inner: [] })
      next = run + 1
      expected = takesName ? 'colon' : afterValue(open)
    } else {
      if (takesValue && view.endOf(longNumber, index) !== undefined) return fault(tooLong('number', index))
      next = takesValue ? view.endOf(scalar, index) : undefined
      if (next === undefined) return fault(expectation(wanted, index))
      expected = afterValue(open)
    }
    end = next
    index = view.endOf(space, next) ?? next
    if (index - next === maxSpaceAtOnce) index = yield* skippingSpace(view, next, gaps)
    turnAt -= charactersOfToken
    if (index < turnAt) continue
    yield
    turnAt = index + stepCharacters
  }
  const problem = expected === 'end' ? undefined : expectation(expected, index)
  return { problem, start, end, long, gaps }
}

function* skippingSpace(view: TextView, start: number, gaps: Gap[]): Generator<undefined, number> {
  let turnAt = start + stepCharacters
  let end = start
  for (;;) {
    const from = end
    end = view.endOf(space, from) ?? from
    if (end - from < maxSpaceAtOnce) break
    if (end < turnAt) continue
    turnAt = end + stepCharacters
    yield
  }
  if (end - start >= maxSpaceAtOnce) gaps.push({ start, end })
  return end
}

function tooLong(what: string, index: number): JsonProblem {
  return { sentence: `A ${what} has more than ${maxTokenCharacters} characters`, index }
}

function afterValue(open: readonly Open[]): Expected {
  return open.length === 0 ? 'end' : 'comma'
}

function expectation(expected: Expected, index: number): JsonProblem {
  return { sentence: `Not JSON: ${expectedWords[expected]} was expected`, index }
}

const quote = 0x22
const backslash = 0x5c

/** What needs no second look. Bounded, so that the way back that the engine remembers stays short. */
const plainRun =
  /(?:[ !#-[\]-\ufffd]|\\["\\/nrt]|\\u(?:[1-9a-cA-C][\da-fA-F]{3}|0[1-9a-fA-F][\da-fA-F]{2}|00[2-9a-fA-F][\da-fA-F])){0,4096}/y

/**
 * Reads on in a string from `start`: gives where its closing quote stands, or where to read on; or the problem
 * met before that.
 */
function scanRun(view: TextView, start: number): number | JsonProblem {
  const index = view.endOf(plainRun, start) ?? start
  if (index > start || index >= view.length) return index
  const code = view.charCodeAt(index)
  if (code === quote) return index
  if (code === backslash) return scanEscape(view, index)
  if (code >= 0x20) return forbidden(code, index)
  return { sentence: `Not JSON: ${codeName(code)} must be escaped in a string`, index }
}

/**
 * What may follow a backslash, but for u. \b and \f are JSON, yet stand for characters that XML 1.0 forbids.
 */
const escapes: Readonly<Record<string, number>> = {
  '"': quote,
  '\\': backslash,
  '/': 0x2f,
  b: 0x08,
  f: 0x0c,
  n: 0x0a,
  r: 0x0d,
  t: 0x09,
}

/** Gives the index behind the escape at `index`, both halves of a surrogate pair taken together. */
function scanEscape(view: TextView, index: number): number | JsonProblem {
  const simple = escapes[view.charAt(index + 1)]
  const code = simple ?? unicodeEscapeAt(view, index)
  if (code === undefined) return { sentence: 'Not JSON: unknown escape sequence', index }
  if (isForbiddenUnit(code)) return forbidden(code, index)
  if (simple !== undefined) return index + 2
  if (isHighSurrogate(code) && isLowSurrogate(unicodeEscapeAt(view, index + 6) ?? 0)) return index + 12
  if (isHighSurrogate(code) || isLowSurrogate(code)) {
    return { sentence: `${codeName(code)} is an unpaired surrogate`, index }
  }
  return index + 6
}

const unicodeEscape = /\\u([\da-fA-F]{4})/y

function unicodeEscapeAt(view: TextView, index: number): number | undefined {
  const digits = view.matchAt(unicodeEscape, index)?.[1]
  return digits === undefined ? undefined : Number.parseInt(digits, 16)
}

function forbidden(code: number, index: number): JsonProblem {
  return { sentence: `The character ${codeName(code)} is not allowed`, index }
}

function codeName(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
