// Cuts XML text into slices for the parser, so that no step is long and the parser collects no token of megabytes.
import { isHighSurrogate } from '../text/characters.ts'
import { findingEnding } from './xml-traps.ts'

export interface XmlSlice {
  readonly text: string
  /** Where it begins in the whole. */
  readonly index: number
  /** Which of the tokens that are too long for one slice it is of, or is the end of. */
  readonly kind: XmlTokenKind | undefined
  /** How much of that token has come, this slice included. */
  readonly tokenCharacters: number
  /** What closes that token behind this slice and opens it again, so that the parser hands on what it has; or ''. */
  readonly seam: string
}

/** Text between tags, a CDATA section; a tag, a comment or an instruction. */
export type XmlTokenKind = 'text' | 'cdata' | 'other'

interface Token {
  readonly kind: XmlTokenKind
  readonly end: number
  /** Where a seam may stand at the earliest and at the latest. */
  readonly firstSeam: number
  readonly lastSeam: number
}

const cdataStart = '<![CDATA['
const cdataEnd = ']]>'
const seams: Readonly<Record<XmlTokenKind, string>> = {
  text: '<!---->',
  cdata: `${cdataEnd}${cdataStart}`,
  other: '',
}

/**
 * Slices of whole tokens as long as these are short, and each longer token by itself. It knows well-formed text
 * only: the parser tells of the first fault before anything behind it is asked for. Undefined is a step without a slice.
 */
export function* xmlSlices(text: string, maxCharacters: number): Generator<XmlSlice | undefined, void> {
  const tokens = (from: number, end: number): XmlSlice => {
    return { text: text.slice(from, end), index: from, kind: undefined, tokenCharacters: 0, seam: '' }
  }
  let from = 0
  let index = 0
  let last: Token | undefined
  let lastFrom = 0
  while (index < text.length) {
    const token = yield* findingToken(text, index)
    if (token.end - from > maxCharacters && from < index) {
      // Text that ends with its slice is told apart: outside the root element saxes takes that for its end.
      const end = last?.kind === 'text' ? lastFrom : index
      if (from < end) yield tokens(from, end)
      if (last !== undefined && end < index) yield* slicesOfToken(text, end, last, maxCharacters)
      from = index
    }
    if (token.end - from > maxCharacters) {
      yield* slicesOfToken(text, from, token, maxCharacters)
      from = token.end
    }
    lastFrom = index
    last = token
    index = token.end
  }
  if (from < index) yield tokens(from, index)
}

function* slicesOfToken(
  text: string,
  index: number,
  token: Token,
  maxCharacters: number,
): Generator<XmlSlice, void> {
  const { kind } = token
  let from = index
  /** Behind a reference that is cut in two. */
  let earliest = index
  while (from < token.end) {
    const max = Math.min(from + maxCharacters, token.end)
    const found = placeOfSeam(text, from, max, token)
    const seamAt = found !== undefined && found >= earliest ? found : undefined
    if (seamAt === undefined && kind === 'text') {
      const reference = openReference(text, from, max)
      if (reference !== undefined) earliest = text.indexOf(';', max) + 1
    }
    const end = seamAt ?? max
    const seam = seamAt === undefined ? '' : seams[kind]
    yield { text: text.slice(from, end), index: from, kind, tokenCharacters: end - index, seam }
    from = end
  }
}

const quoteOrEnd = /["'>]/g

function* findingToken(text: string, index: number): Generator<undefined, Token> {
  function* endOf(ending: string, from: number): Generator<undefined, number> {
    const end = yield* findingEnding(text, ending, from)
    return end === -1 ? text.length : end + ending.length
  }
  if (text.charAt(index) !== '<') {
    const next = text.indexOf('<', index)
    const end = next === -1 ? text.length : next
    return { kind: 'text', end, firstSeam: index, lastSeam: end - 1 }
  }
  if (text.startsWith(cdataStart, index)) {
    const firstSeam = index + cdataStart.length
    const end = yield* endOf(cdataEnd, firstSeam)
    return { kind: 'cdata', end, firstSeam, lastSeam: end - cdataEnd.length }
  }
  const other = (end: number): Token => ({ kind: 'other', end, firstSeam: end, lastSeam: index })
  if (text.startsWith('<!--', index)) return other(yield* endOf('-->', index + 4))
  if (text.startsWith('<?', index)) return other(yield* endOf('?>', index + 2))

  quoteOrEnd.lastIndex = index
  for (;;) {
    const found = quoteOrEnd.exec(text)
    if (found === null) return other(text.length)
    if (found[0] === '>') return other(found.index + 1)
    // One character is found faster than we could look.
    const end = text.indexOf(found[0], found.index + 1)
    quoteOrEnd.lastIndex = end === -1 ? text.length : end + 1
  }
}

/**
 * Between `from` and `most`, as far back as it may have to be: not in a reference, a line end or a surrogate
 * pair, and in text not behind a bracket, of which saxes has to know when > comes.
 */
function placeOfSeam(text: string, from: number, max: number, token: Token): number | undefined {
  const isText = token.kind === 'text'
  let place = Math.min(max, token.lastSeam)
  if (isText) {
    place = openReference(text, from, place) ?? place
  }
  while (place > from && isKept(text, place, isText)) place -= 1
  return place > from && place >= token.firstSeam ? place : undefined
}

/** Whether what stands before `place` has to be with what stands behind it. */
function isKept(text: string, place: number, isText: boolean): boolean {
  const before = text.charAt(place - 1)
  if (before === ']') return isText
  return before === '\r' ? text.charAt(place) === '\n' : isHighSurrogate(before.charCodeAt(0))
}

/** Where a reference begins that does not end before `until`. */
function openReference(text: string, from: number, until: number): number | undefined {
  const slice = text.slice(from, until)
  const reference = slice.lastIndexOf('&')
  return reference !== -1 && !slice.includes(';', reference) ? from + reference : undefined
}
