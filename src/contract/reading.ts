// What reading gives: the value, or the one fault that stopped it. Nothing in contract/ throws for bad input.
import { countCharacters } from './characters.ts'

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
  let line = 1
  let lineStart = 0
  for (let at = 0; at < index; at += 1) {
    const code = text.charCodeAt(at)
    if (code === lineFeed || (code === carriageReturn && text.charCodeAt(at + 1) !== lineFeed)) {
      line += 1
      lineStart = at + 1
    }
  }
  return { line, column: countCharacters(text.slice(lineStart, index)) + 1 }
}
