// Rewrites a stored GPX document as valid GPX 1.1, with all of its content, in the order of the schema.
// Omitted are comments, invalid values (`<ele>high</ele>`), and repeated elements that the schema allows once; the
// original document still has them. Elements that GPX 1.0 has elsewhere move to their place in 1.1, or into
// `extensions`.
import { gpx11 } from '../gpx-elements.ts'
import { escapeAttribute, escapeText } from '../gpx-text.ts'
import { readingParts, type DocumentParts, type LineKind, type Parts, type Point } from './gpx-parts.ts'
import {
  decimalText,
  emailElement,
  lineLeaves,
  lonText,
  metadataLeaves,
  pointLeaves,
  type Leaves,
} from './leaves.ts'
import { addAll, addText, isEmpty, noLongText, piecesOf, type LongPieces } from './long-pieces.ts'

export interface Rewriting {
  /** From the route: they replace those of the document, unless they are blank. */
  readonly name: string
  readonly description: string
  /** For a document that names no program. */
  readonly creator: string
}

/** In chunks of about 32 KiB. */
export interface Rewritten {
  readonly chunks: readonly string[]
  /** Why there is no result, as a sentence without its full stop: no device writes such a document. */
  readonly fault?: string
}

/**
 * Ten times the longest document: two million elements without a namespace, each of which gets one, still fit. Beyond
 * it is a document in which each of a million elements declares a namespace of a thousand characters.
 */
const maxCharacters = 80 * 1024 ** 2
const tooLong = `The GPX would be longer than ${maxCharacters / 1024 ** 2} MiB as an export`

const blank = (text: string): boolean => text.trim() === ''

export function inOrder({ leaves: written }: Parts, leaves: Leaves): string {
  if (written === undefined) return ''
  let content = ''
  for (const name of leaves.keys()) content += written.get(name) ?? ''
  return content
}

/** @param content written before the extensions, which may be long. */
export function addElement(
  to: LongPieces,
  {
    start,
    content,
    extensions,
    end,
  }: { start: string; content: string; extensions: LongPieces; end: string },
): void {
  if (isEmpty(extensions)) return addText(to, start + content + end)
  addText(to, `${start}${content}<extensions>`)
  addAll(to, extensions)
  return addText(to, `</extensions>${end}`)
}

/** The attributes of a point. @returns undefined for a point without a position, which is never stored. */
export function placeIn({ lat, lon }: Pick<Point, 'lat' | 'lon'>): string | undefined {
  const [north, east] = [decimalText(lat), lonText(lon)]
  return north === undefined || east === undefined ? undefined : ` lat="${north}" lon="${east}"`
}

function addPoint(to: LongPieces, point: Point): void {
  const { kind, parts } = point
  const { extensions } = parts
  const place = placeIn(point)
  if (place === undefined) return
  const start = `<${kind}${place}`
  const content = inOrder(parts, pointLeaves)
  if (content === '' && isEmpty(extensions)) addText(to, `${start}/>\n`)
  else addElement(to, { start: `${start}>`, content, extensions, end: `</${kind}>\n` })
}

/**
 * The name and similar elements of a line may come after its points in the document; they are written before them.
 */
export function addLine(to: LongPieces, kind: LineKind, parts: Parts, inside: LongPieces): void {
  const { extensions } = parts
  addElement(to, { start: `<${kind}>`, content: inOrder(parts, lineLeaves), extensions, end: '\n' })
  addAll(to, inside)
  addText(to, `</${kind}>\n`)
}

export function addSegment(to: LongPieces, { extensions }: Parts, points: LongPieces): void {
  addText(to, '<trkseg>\n')
  addAll(to, points)
  addElement(to, { start: '', content: '', extensions, end: '</trkseg>\n' })
}

export const rootTag = (creator: string, declarations: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="${escapeAttribute(creator)}" xmlns="${gpx11}"${declarations}>\n`

/** In steps. @throws if the document is not well-formed after all. */
export function* rewritingGpx(
  text: string,
  { name, description, creator }: Rewriting,
): Generator<undefined, Rewritten> {
  let start = rootTag(creator, '')
  const [waypoints, routes, tracks] = [noLongText(), noLongText(), noLongText()]
  let segments = noLongText()
  let points = noLongText()
  let fault: string | undefined
  let characters = 0
  const parts = readingParts(
    text,
    {
      root(madeBy, declarations) {
        start = rootTag(madeBy ?? creator, declarations)
      },
      point: (point) => addPoint(point.kind === 'wpt' ? waypoints : points, point),
      openLine() {
        segments = noLongText()
        points = noLongText()
      },
      openSegment() {
        points = noLongText()
      },
      closeSegment: (own) => addSegment(segments, own, points),
      closeLine: (kind, own) =>
        addLine(kind === 'rte' ? routes : tracks, kind, own, kind === 'rte' ? points : segments),
    },
    (added) => {
      characters += added
      if (characters <= maxCharacters) return
      fault = tooLong
      throw new Error(fault)
    },
  )
  let read: DocumentParts
  try {
    read = yield* parts
  } catch (error) {
    if (fault === undefined) throw error
    return { chunks: [], fault }
  }
  const whole = noLongText()
  addText(whole, start)
  addMetadata(whole, read, { name, description })
  for (const pieces of [waypoints, routes, tracks]) addAll(whole, pieces)
  const { extensions } = read
  if (!isEmpty(extensions)) addElement(whole, { start: '', content: '', extensions, end: '\n' })
  addText(whole, '</gpx>\n')
  return { chunks: [...piecesOf(whole)] }
}

/** The metadata elements of GPX 1.1, and those that 1.0 has at the root. */
export function addMetadata(
  to: LongPieces,
  { metadata, email }: DocumentParts,
  { name, description }: Pick<Rewriting, 'name' | 'description'>,
): void {
  const { extensions } = metadata
  const leaves = (metadata.leaves ??= new Map<string, string>())
  if (email !== undefined) {
    const element = emailElement(email.trim())
    const known = leaves.get('author') ?? ''
    const author = known === '' ? '<author></author>' : known
    const behindName = /<link |<\/author>/.exec(author)?.index ?? 0
    if (!author.includes('<email '))
      leaves.set('author', author.slice(0, behindName) + element + author.slice(behindName))
  }
  if (!blank(name)) leaves.set('name', `<name>${escapeText(name)}</name>`)
  if (!blank(description)) leaves.set('desc', `<desc>${escapeText(description)}</desc>`)
  const content = inOrder(metadata, metadataLeaves)
  if (content === '' && isEmpty(extensions)) return
  addElement(to, { start: '<metadata>', content, extensions, end: '</metadata>\n' })
}
