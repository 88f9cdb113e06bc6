// Reads an XML body strictly into a small tree, on the tokens of saxes: no DOCTYPE, bounded depth.
import { SaxesParser } from 'saxes'
import { malformed, maxDepth, placeOf, taken } from './reading.ts'
import type { Failure, Place, Reading } from './reading.ts'
import { decodeText, detectXmlEncoding } from './text-encoding.ts'
import { clip, createPrefixScopes } from './xml-names.ts'

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
  const encoding = detectXmlEncoding(bytes, charset)
  if (!encoding.ok) return encoding
  const text = decodeText(bytes, encoding.value)
  if (!text.ok) return text
  return findTrap(text.value) ?? parse(text.value)
}

const landmark = /<!--|<!\[CDATA\[|<\?|<!doctype|&(?!#\d+;|#x[\da-f]+;|[^\s;&<#]+;)/gi
const endings: Readonly<Record<string, string>> = { '<!--': '-->', '<![cdata[': ']]>', '<?': '?>' }

/**
 * What saxes would tell late or badly: a DOCTYPE, refused at its first token so that nothing inside it is
 * ever looked at (XXE, entity bombs), and an & that begins no reference, which saxes would follow to the next
 * semicolon or the end. Whatever this finds is a fault: outside comments, CDATA sections and instructions, no
 * well-formed document holds either.
 */
function findTrap(text: string): Failure | undefined {
  if (text.startsWith('\u{feff}')) return malformed('A second byte-order mark is no XML', placeOf(text, 0))
  let index = 0
  while (index < text.length) {
    landmark.lastIndex = index
    const match = landmark.exec(text)
    if (match === null) return undefined
    const [found] = match
    const ending = endings[found.toLowerCase()]
    if (ending === undefined) {
      const problem =
        found === '&' ? 'An & that begins no reference is written &amp;' : 'DOCTYPE is not allowed'
      return malformed(problem, placeOf(text, match.index))
    }
    const end = text.indexOf(ending, match.index + found.length)
    // Never closed: saxes tells, and a search from every further opening would be quadratic.
    if (end === -1) return undefined
    index = end + ending.length
  }
  return undefined
}

function parse(text: string): Reading<XmlElement> {
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

  /** saxes has no way to stop but an exception; it is caught below and goes no further. */
  const stop: (problem: string) => never = (problem) => {
    failure = malformed(problem, { line: parser.line, column: Math.max(parser.column, 1) })
    throw new Error(problem)
  }
  const addText = (piece: string): void => {
    const element = open.at(-1)
    if (element !== undefined) element.text += piece
  }

  parser.on('error', (error) => stop(`Not XML: ${clip(error.message.replace(/\.$/, ''))}`))
  parser.on('opentagstart', () => {
    if (open.length === maxDepth) stop(`Nesting is deeper than ${maxDepth}`)
  })
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

  try {
    parser.write(text).close()
  } catch (error) {
    if (failure === undefined) throw error
    return failure
  }
  return root === undefined ? malformed('Not XML: there is no element', { line: 1, column: 1 }) : taken(root)
}
