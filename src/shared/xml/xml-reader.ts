// Reads an XML body strictly into a small tree, on the tokens of saxes: no DOCTYPE, bounded depth.
import { SaxesParser } from 'saxes'
import { atOnce } from '../yielding.ts'
import { malformed, maxDepth, placing, taken } from '../classic/reading.ts'
import type { Failure, Place, Reading } from '../classic/reading.ts'
import { decodingText, detectXmlEncoding } from '../text/text-encoding.ts'
import { clip, createPrefixScopes } from './xml-names.ts'
import { xmlSlices } from './xml-slices.ts'
import type { XmlSlice } from './xml-slices.ts'
import { findingTrap } from './xml-traps.ts'

export interface XmlElement extends Place {
  /** Its local name. The place is where its start tag ends. */
  readonly name: string
  /** Its own text, CDATA sections included, comments and children not. Line ends are LF, as XML has it. */
  readonly text: string
  /** Whether xsi:nil says that it stands for null. */
  readonly nil: boolean
  readonly children: readonly XmlElement[]
}

interface Draft extends XmlElement {
  text: string
  readonly children: Draft[]
}

/**
 * Reads a document in UTF-8 or UTF-16; `charset` is the Content-Type's. Nothing but the five entities of XML
 * and character references is ever expanded, nothing is fetched. Attributes other than xsi:nil, comments and
 * processing instructions are read past. Time is linear in the length.
 */
export function readXml(bytes: Uint8Array, charset: string | undefined): Reading<XmlElement> {
  return atOnce(readingXml(bytes, charset))
}

export interface XmlReadingOptions {
  /** Attributes count as much as elements: a million in one tag cost no less. */
  readonly maxElements?: number
  /** How much is parsed in one step; only a test has a reason to choose. */
  readonly sliceCharacters?: number
}

/** Some 1 ms of parsing. */
const usualSliceCharacters = 16 * 1024
/** Of a tag, a comment or an instruction: saxes may take 30 times its length in memory. */
const maxTokenCharacters = 512 * 1024

/** The same for a body of any length, in steps of a few milliseconds. */
export function* readingXml(
  bytes: Uint8Array,
  charset: string | undefined,
  options: XmlReadingOptions = {},
): Generator<undefined, Reading<XmlElement>> {
  const decoded = yield* decodingXml(bytes, charset)
  return decoded.ok ? yield* readingXmlText(decoded.value, options) : decoded
}

/** The text of a body, in the encoding that it is in. */
export function* decodingXml(
  bytes: Uint8Array,
  charset: string | undefined,
): Generator<undefined, Reading<string>> {
  const encoding = detectXmlEncoding(bytes, charset)
  return encoding.ok ? yield* decodingText(bytes, encoding.value) : encoding
}

/** As `readingXml`, of text that was decoded already, so that the memory of its bytes may be released before. */
export function* readingXmlText(
  text: string,
  { maxElements = Infinity, sliceCharacters = usualSliceCharacters }: XmlReadingOptions = {},
): Generator<undefined, Reading<XmlElement>> {
  const trap = yield* findingTrap(text, { maxSections: maxElements })
  if (trap !== undefined) return malformed(trap.problem, yield* placing(text, trap.index))

  const tree = createTree(maxElements)
  for (const slice of xmlSlices(text, sliceCharacters)) {
    if (slice === undefined) {
      yield
      continue
    }
    const strayAt = slice.kind === 'text' && tree.isOutside() ? slice.text.search(notSpace) : -1
    if (strayAt !== -1) return yield* strayText(text, slice.index + strayAt)
    const failure = tree.take(slice)
    if (failure !== undefined) return failure
    if (slice.kind === 'other' && slice.tokenCharacters > maxTokenCharacters) {
      const problem = 'A tag, a comment or a processing instruction is longer than 512 KiB'
      return malformed(problem, yield* placing(text, slice.index))
    }
    yield
  }
  return tree.end()
}

const notSpace = /[^\t\n\r ]/
const endOfText = /[^\t\n\r !-%'-;=-\ufffd]/g

/** saxes tells of text outside the root element where that ends; it would take every slice for its end. */
function* strayText(text: string, index: number): Generator<undefined, Failure> {
  endOfText.lastIndex = index
  // saxes keeps a last carriage return back.
  const textEnd = text.length - (text.endsWith('\r') ? 1 : 0)
  const end = endOfText.exec(text)?.index ?? textEnd
  const isDisallowed = end < textEnd && !'<&'.includes(text.charAt(end))
  const problem = isDisallowed ? 'disallowed character' : 'text data outside of root node'
  const { line, column } = yield* placing(text, end)
  return malformed(`Not XML: ${problem}`, {
    line,
    column: end < textEnd ? column : Math.max(column - 1, 1),
  })
}

interface Tree {
  /** Gives the failure that the slice holds. */
  readonly take: (slice: XmlSlice) => Failure | undefined
  /** Whether no element is open. */
  readonly isOutside: () => boolean
  readonly end: () => Reading<XmlElement>
}

function createTree(maxElements: number): Tree {
  // XML 1.1 would let through control characters that JSON refuses: what a declaration says of the version is
  // not heard.
  const parser = new SaxesParser({
    xmlns: false,
    position: false,
    defaultXMLVersion: '1.0',
    forceXMLVersion: true,
  })
  const scopes = createPrefixScopes()
  const open: Draft[] = []
  let root: Draft | undefined
  let failure: Failure | undefined
  let count = 0

  /** saxes has no way to stop but an exception; it is caught below and goes no further. */
  const stop: (problem: string) => never = (problem) => {
    failure = malformed(problem, { line: parser.line, column: Math.max(parser.column, 1) })
    throw new Error(problem)
  }
  const countOne = (): void => {
    count += 1
    if (count > maxElements) stop(`The body has more than ${maxElements} elements and attributes`)
  }
  const addText = (chunk: string): void => {
    const element = open.at(-1)
    if (element !== undefined) element.text += compacted(chunk)
  }

  // Seven handlers at most: with an eighth, V8 keeps the parser in a dictionary, and everything takes eight times
  // as long.
  parser.on('error', (error) => stop(`Not XML: ${clip(error.message.replace(/\.$/, ''))}`))
  parser.on('opentagstart', () => {
    countOne()
    if (open.length === maxDepth) stop(`Nesting is deeper than ${maxDepth}`)
  })
  parser.on('attribute', countOne)
  parser.on('opentag', (tag) => {
    const named = scopes.enter(tag.name, tag.attributes)
    if ('problem' in named) stop(named.problem)
    const place = { line: parser.line, column: parser.column }
    const element: Draft = { name: named.local, text: '', nil: named.isNil, children: [], ...place }
    open.at(-1)?.children.push(element)
    root ??= element
    open.push(element)
  })
  parser.on('closetag', () => {
    scopes.leave()
    open.pop()
  })
  parser.on('text', addText)
  parser.on('cdata', addText)

  const guarded = (work: () => void): Failure | undefined => {
    try {
      work()
    } catch (error) {
      if (failure === undefined) throw error
    }
    return failure
  }

  return {
    take: ({ text, seam }) =>
      guarded(() => {
        parser.write(text)
        if (seam === '') return
        parser.write(seam)
        // Nobody sent it, and a failure behind it is told where it is in what was sent.
        parser.column -= seam.length
      }),
    isOutside: () => open.length === 0,
    end() {
      guarded(() => {
        parser.close()
      })
      if (failure !== undefined) return failure
      return root === undefined ? malformed('Not XML: no root element', { line: 1, column: 1 }) : taken(root)
    },
  }
}

/**
 * saxes puts text together from a piece for each reference and line end, which takes ten times its length in
 * memory until somebody looks at a character of it.
 */
function compacted(chunk: string): string {
  chunk.charCodeAt(0)
  return chunk
}
