// The result of parsing: the value, or the one error that stopped it. Nothing in shared/classic/ throws for bad input.
import { countCharacters, isHighSurrogate, isLowSurrogate } from '../text/characters.ts'
import { atOnce } from '../yielding.ts'
import type { LongText } from '../text/long-text.ts'

export interface Fault {
  /** A refusal code of the closed list of refusals, which this folder does not import. */
  readonly code: 'malformed-body' | 'invalid-field' | 'unsupported-media-type'
  /** One sentence about this very body. It never repeats more of the body than a clipped name. */
  readonly detail: string
}

export type Failure = { readonly ok: false; readonly fault: Fault }

export type Reading<T> = { readonly ok: true; readonly value: T } | Failure

/** A place in a text, both from 1; columns count Unicode characters. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** How deep a body may be nested, in either format (C6). */
export const maxDepth = 64

export function taken<T>(value: T): Reading<T> {
  return { ok: true, value }
}

/** `problem` is a sentence without its full stop; the place is added to it. */
export function malformed(problem: string, place: Place): Failure {
  const detail = `${problem} (line ${place.line}, column ${place.column}).`
  return { ok: false, fault: { code: 'malformed-body', detail } }
}

export function invalidField(detail: string): Failure {
  return { ok: false, fault: { code: 'invalid-field', detail } }
}

export function unsupportedMediaType(detail: string): Failure {
  return { ok: false, fault: { code: 'unsupported-media-type', detail } }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** The place of the character at `index`; LF, CR and CR LF each end a line. */
export function placeOf(text: string, index: number): Place {
  return atOnce(placing(text, index))
}

/** Some 1 ms of looking for line ends. */
const stepCharacters = 256 * 1024

/** The same in a text of any length, in steps of a millisecond or so. */
export function* placing(text: LongText, index: number): Generator<undefined, Place> {
  let line = 1
  let lineStart = 0
  for (let from = 0; from < index; from += stepCharacters) {
    const until = Math.min(from + stepCharacters, index)
    for (let at = from; at < until; at += 1) {
      const code = text.charCodeAt(at)
      if (code === lineFeed || (code === carriageReturn && text.charCodeAt(at + 1) !== lineFeed)) {
        line += 1
        lineStart = at + 1
      }
    }
    yield
  }
  let column = 1
  for (let from = lineStart; from < index; from += stepCharacters) {
    column += countCharacters(text.slice(from, Math.min(from + stepCharacters, index)))
    // The pair that is cut here was counted as two.
    const isCut = from > lineStart && isHighSurrogate(text.charCodeAt(from - 1))
    if (isCut && isLowSurrogate(text.charCodeAt(from))) column -= 1
    yield
  }
  return { line, column }
}
