// Splits a stored GPX document into the parts that GPX 1.1 has a place for, each as the schema requires it, while
// parsing.
import { gpx10 } from '../gpx-elements.ts'
import { createForeignWriter, rootScope } from './foreign.ts'
import {
  createGpxNames,
  createTreeReader,
  prefixesIn,
  textOf,
  valueOf,
  type GpxName,
  type GpxNode,
} from './gpx-nodes.ts'
import { lineLeaves, linkElement, metadataLeaves, pointLeaves, type Leaves } from './leaves.ts'
import { addText, noLongText, type LongPieces } from './long-pieces.ts'
import { readingTags } from './xml-tags.ts'

/** The content of an element, in the parts of the schema. */
export interface Parts {
  /** Elements by name; undefined until there is one, since a document may have 400,000 points without any. */
  leaves: Map<string, string> | undefined
  /** The content of its `extensions`. */
  readonly extensions: LongPieces
}

export type PointKind = 'wpt' | 'rtept' | 'trkpt'

export interface Point {
  readonly kind: PointKind
  readonly parts: Parts
  /** As the document has them. */
  readonly lat: string | undefined
  readonly lon: string | undefined
}

export type LineKind = 'rte' | 'trk'

/**
 * Receives the parts of a document while it is parsed. Waypoints, lines and their points are reported in document
 * order.
 */
export interface PartsListener {
  /** @param declarations of the prefixes that the root declares, as attributes. */
  readonly root: (creator: string | undefined, declarations: string) => void
  readonly point: (point: Point) => void
  readonly openLine: (kind: LineKind) => void
  readonly openSegment: () => void
  readonly closeSegment: (parts: Parts) => void
  readonly closeLine: (kind: LineKind, parts: Parts) => void
}

/** The metadata of a document. */
export interface DocumentParts {
  readonly metadata: Parts
  /** From `email` in GPX 1.0. */
  readonly email: string | undefined
  readonly extensions: LongPieces
}

/** Elements of GPX 1.0 that 1.1 has no place for: they keep their meaning in the namespace of 1.0. */
const onlyIn10 = new Set(['course', 'speed'])

const noLeaves: Leaves = new Map()

const newParts = (): Parts => ({ leaves: undefined, extensions: noLongText() })

interface FrameKind {
  readonly holds: 'gpx' | 'metadata' | 'rte' | 'trk' | 'trkseg' | PointKind
  readonly leaves: Leaves
  readonly isPoint: boolean
}

interface Frame {
  readonly kind: FrameKind
  readonly parts: Parts
  readonly attributes: readonly string[]
  /** The URL and its link text in GPX 1.0. */
  url?: GpxNode
  urlname?: GpxNode
}

const noAttributes: readonly string[] = []
const rootKind: FrameKind = { holds: 'gpx', leaves: noLeaves, isPoint: false }
const metadataKind: FrameKind = { holds: 'metadata', leaves: metadataLeaves, isPoint: false }
const pointKind = (holds: PointKind): FrameKind => ({ holds, leaves: pointLeaves, isPoint: true })
const lineKind = (holds: LineKind): FrameKind => ({ holds, leaves: lineLeaves, isPoint: false })

function keepLeaf(parts: Parts, local: string, element: string): void {
  const leaves = (parts.leaves ??= new Map<string, string>())
  const known = leaves.get(local)
  if (known === undefined || known === '') leaves.set(local, element)
  else if (local === 'link') leaves.set(local, known + element)
}

/** A URL of GPX 1.0 becomes a link after the others. */
function keepAddress({ parts, url, urlname }: Frame): void {
  const href = url === undefined ? '' : textOf(url)
  if (href.trim() === '') return
  keepLeaf(parts, 'link', linkElement(href, urlname === undefined ? [] : [{ ...urlname, local: 'text' }]))
}

/**
 * In steps. @throws what the listener throws, or if the document is cut off.
 * @param onExtensions receives the number of characters added to any extensions.
 */
export function* readingParts(
  text: string,
  listener: PartsListener,
  onExtensions: (characters: number) => void = () => undefined,
): Generator<undefined, DocumentParts> {
  const names = createGpxNames()
  const foreign = createForeignWriter(names)
  const tree = createTreeReader()
  const frames: Frame[] = []
  const metadata = newParts()
  /** The metadata that GPX 1.0 has at the root; `metadata` takes precedence. */
  const of10: Frame = { kind: metadataKind, parts: newParts(), attributes: noAttributes }
  const rootParts = newParts()
  let email: string | undefined
  /** Whether `extensions` of the innermost frame is open. */
  let isInExtensions = false
  let wantsText = false

  const openFrame = (frame: Frame): void => {
    frames.push(frame)
    const { holds, isPoint } = frame.kind
    if (isPoint) return
    if (holds === 'rte' || holds === 'trk') listener.openLine(holds)
    else if (holds === 'trkseg') listener.openSegment()
  }

  const openForeign = (
    { parts }: Frame,
    element: GpxName,
    attributes: readonly string[],
    is10 = element.namespace === gpx10 && onlyIn10.has(element.local),
  ): void => {
    const name = is10 ? { ...element, name: element.local, namespace: gpx10, isGpx: false } : element
    foreign.open(name, attributes, (part) => {
      onExtensions(part.length)
      addText(parts.extensions, part)
    })
    wantsText = true
  }

  /** An element within a frame, outside its extensions. */
  const openIn = (frame: Frame, name: GpxName, attributes: readonly string[]): void => {
    const { holds, leaves } = frame.kind
    const { local, isGpx } = name
    if (!isGpx) return openForeign(frame, name, attributes)
    if (local === 'extensions') {
      isInExtensions = true
      return undefined
    }
    const kind = frame.kind.isPoint ? undefined : kindIn(holds, local)
    if (kind !== undefined)
      return openFrame({ kind, parts: kind === metadataKind ? metadata : newParts(), attributes })
    const isAtRoot = holds === 'gpx' && (local === 'email' || metadataLeaves.has(local))
    if (isAtRoot || leaves.has(local) || local === 'url' || local === 'urlname') {
      tree.open(name, attributes)
      wantsText = true
      return undefined
    }
    return openForeign(frame, name, attributes, onlyIn10.has(local))
  }

  const keep = (frame: Frame, node: GpxNode): void => {
    const { local } = node
    const isAtRoot = frame.kind === rootKind
    const into = isAtRoot ? of10 : frame
    if (local === 'url') into.url ??= node
    else if (local === 'urlname') into.urlname ??= node
    else if (isAtRoot && local === 'email') email ??= textOf(node)
    else keepLeaf(into.parts, local, into.kind.leaves.get(local)?.(node) ?? '')
  }

  const closeFrame = (frame: Frame): void => {
    const { kind, parts, attributes } = frame
    const { holds } = kind
    if (frame.url !== undefined) keepAddress(frame)
    if (holds === 'rte' || holds === 'trk') listener.closeLine(holds, parts)
    else if (holds === 'trkseg') listener.closeSegment(parts)
    else if (holds !== 'gpx' && holds !== 'metadata')
      listener.point({
        kind: holds,
        lat: valueOf(attributes, 'lat'),
        lon: valueOf(attributes, 'lon'),
        parts,
      })
  }

  yield* readingTags(text, {
    open(written, attributes) {
      const name = names.enter(written, attributes)
      const frame = frames.at(-1)
      if (tree.isOpen()) {
        tree.open(name, attributes)
        wantsText = tree.wantsText()
      } else if (foreign.isOpen()) foreign.open(name, attributes)
      else if (frame === undefined) {
        const { scope, declarations } = rootScope(prefixesIn(attributes))
        foreign.begin(scope)
        listener.root(valueOf(attributes, 'creator'), declarations)
        openFrame({ kind: rootKind, parts: rootParts, attributes })
      } else if (isInExtensions) openForeign(frame, name, attributes)
      else openIn(frame, name, attributes)
    },
    close() {
      names.leave()
      if (tree.isOpen()) {
        const node = tree.close()
        wantsText = tree.isOpen() && tree.wantsText()
        const frame = frames.at(-1)
        if (node !== undefined && frame !== undefined) keep(frame, node)
      } else if (foreign.isOpen()) {
        foreign.close()
        wantsText = foreign.isOpen()
      } else if (isInExtensions) isInExtensions = false
      else {
        const frame = frames.pop()
        if (frame !== undefined) closeFrame(frame)
      }
    },
    wantsText: () => wantsText,
    text(part) {
      if (tree.isOpen()) tree.text(part)
      else foreign.text(part)
    },
  })

  keepAddress(of10)
  for (const [local, element] of of10.parts.leaves ?? []) keepLeaf(metadata, local, element)
  return { metadata, email, extensions: rootParts.extensions }
}

/** Elements that have parts of their own, by parent. */
const kinds: ReadonlyMap<string, ReadonlyMap<string, FrameKind>> = new Map([
  [
    'gpx',
    new Map([
      ['metadata', metadataKind],
      ['wpt', pointKind('wpt')],
      ['rte', lineKind('rte')],
      ['trk', lineKind('trk')],
    ]),
  ],
  ['rte', new Map([['rtept', pointKind('rtept')]])],
  ['trk', new Map([['trkseg', { holds: 'trkseg', leaves: noLeaves, isPoint: false }]])],
  ['trkseg', new Map([['trkpt', pointKind('trkpt')]])],
])

const kindIn = (holder: FrameKind['holds'], local: string): FrameKind | undefined =>
  kinds.get(holder)?.get(local)
