// Writes a stored GPX document again as GPX 1.1 that its schema accepts: with everything in it, in the order of the schema.
//
// Left out are comments, values that are none (`<ele>high</ele>`) and what the schema has once and the document twice; the
// document as it was sent has them. What GPX 1.0 has elsewhere moves to its place in 1.1, or into `extensions`.
import { slicesOf } from '../../text/text-slices.ts'
import { gpx10, gpx11 } from '../gpx-elements.ts'
import { escapeAttribute, escapeText } from '../gpx-text.ts'
import { rootScope, writeForeign, type Scope } from './foreign.ts'
import {
  attributeOf,
  childrenOf,
  maxHeldNodes,
  readingNodes,
  textOf,
  type GpxHandler,
  type GpxNode,
  type Holder,
} from './gpx-nodes.ts'
import {
  decimalText,
  emailElement,
  lineLeaves,
  linkElement,
  lonText,
  metadataLeaves,
  pointLeaves,
} from './leaves.ts'

export interface Rewriting {
  /** Of the route: they stand in place of those of the document, unless they are blank. */
  readonly name: string
  readonly description: string
  /** Of a document that names no program. */
  readonly creator: string
}

/** In pieces of some 32 KiB. */
export interface Rewritten {
  readonly chunks: readonly string[]
  /** Why there are none, as a sentence without its full stop: of a document that no device writes. */
  readonly fault?: string
}

/** Elements of GPX 1.0 that 1.1 has no place for: they keep their meaning under the namespace of 1.0. */
const onlyIn10 = new Set(['course', 'speed'])

type Leaves = ReadonlyMap<string, (node: GpxNode) => string>

interface Parts {
  /** By name, in the order of the document. */
  readonly leaves: Map<string, string>
  extensions: string
}

const noParts = (): Parts => ({ leaves: new Map(), extensions: '' })

const blank = (text: string): boolean => text.trim() === ''

/** Puts one element where it belongs. */
function take(node: GpxNode, leaves: Leaves, parts: Parts, scope: Scope): void {
  const { local } = node
  if (!node.isGpx) {
    parts.extensions += writeForeign(node, scope)
    return
  }
  if (local === 'extensions') {
    for (const child of childrenOf(node)) parts.extensions += writeForeign(child, scope)
    return
  }
  const write = leaves.get(local)
  if (write === undefined) {
    const kept = onlyIn10.has(local) ? { ...node, name: local, namespace: gpx10, isGpx: false } : node
    parts.extensions += writeForeign(kept, scope)
    return
  }
  const known = parts.leaves.get(local)
  if (known === undefined || known === '') parts.leaves.set(local, write(node))
  else if (local === 'link') parts.leaves.set(local, known + write(node))
}

/** Address and its words in GPX 1.0. */
const isAddress = ({ isGpx, local }: GpxNode): boolean => isGpx && (local === 'url' || local === 'urlname')

function takeAll(nodes: readonly GpxNode[], leaves: Leaves, scope: Scope, parts = noParts()): Parts {
  for (const node of nodes) if (!isAddress(node)) take(node, leaves, parts, scope)
  const url = nodes.find((node) => isAddress(node) && node.local === 'url')
  const words = nodes.find((node) => isAddress(node) && node.local === 'urlname')
  if (url !== undefined && !blank(textOf(url))) {
    const link = linkElement(textOf(url), words === undefined ? [] : [{ ...words, local: 'text' }])
    parts.leaves.set('link', (parts.leaves.get('link') ?? '') + link)
  }
  return parts
}

function inOrder({ leaves: written }: Parts, leaves: Leaves): string {
  let content = ''
  for (const name of leaves.keys()) content += written.get(name) ?? ''
  return content
}

const extensionsElement = (content: string): string =>
  content === '' ? '' : `<extensions>${content}</extensions>`

const contentOf = (nodes: readonly GpxNode[], leaves: Leaves, scope: Scope): string => {
  const parts = takeAll(nodes, leaves, scope)
  return inOrder(parts, leaves) + extensionsElement(parts.extensions)
}

function pointElement(node: GpxNode, scope: Scope): string {
  const lat = decimalText(attributeOf(node, 'lat'))
  const lon = lonText(attributeOf(node, 'lon'))
  if (lat === undefined || lon === undefined) return '' // no document has been stored with one
  const start = `<${node.local} lat="${lat}" lon="${lon}"`
  const content = contentOf(childrenOf(node), pointLeaves, scope)
  return content === '' ? `${start}/>\n` : `${start}>${content}</${node.local}>\n`
}

/** Joined into pieces as they come, so that a million points are not a million texts. */
function createPieces() {
  const pieces: string[] = []
  let piece = ''
  return {
    add(text: string): void {
      piece += text
      if (piece.length < 32 * 1024) return
      pieces.push(piece)
      piece = ''
    },
    all: (): string[] => (piece === '' ? pieces : [...pieces, piece]),
  }
}

/** Names and the like of a line, which may stand behind its points; and what is inside it. */
interface OpenLine {
  readonly nodes: GpxNode[]
  readonly inside: string[]
}

/** In steps. @throws where the document is not well-formed after all. */
export function* rewritingGpx(
  text: string,
  { name, description, creator }: Rewriting,
): Generator<undefined, Rewritten> {
  let { scope, declarations } = rootScope(new Map())
  let madeBy = creator
  const rootNodes: GpxNode[] = []
  const [waypoints, routes, tracks] = [createPieces(), createPieces(), createPieces()]
  const lines: OpenLine[] = []
  let points = createPieces()
  let fault: string | undefined

  /** @returns whether it waits for the end of what it stands in. */
  const place = (node: GpxNode): boolean => {
    const line = lines.at(-1)
    const isPoint =
      node.isGpx && (line ? node.local === 'rtept' || node.local === 'trkpt' : node.local === 'wpt')
    if (!isPoint) (line?.nodes ?? rootNodes).push(node)
    else (line ? points : waypoints).add(pointElement(node, scope))
    return !isPoint
  }

  const handler: GpxHandler = {
    open(holder, node) {
      if (holder === 'gpx') {
        madeBy = attributeOf(node, 'creator') ?? creator
        return
      }
      lines.push({ nodes: [], inside: [] })
      if (holder !== 'trk') points = createPieces()
    },
    child: place,
    tooMany() {
      fault = `The GPX has more than ${maxHeldNodes.toLocaleString('en')} elements in one place, which no export is made of`
      throw new Error(fault) // saxes has no other way to stop
    },
    close(holder: Holder) {
      const line = lines.pop()
      if (line === undefined) return
      if (holder === 'trkseg') {
        const around = lines.at(-1)
        const { extensions } = takeAll(line.nodes, new Map(), scope)
        around?.inside.push('<trkseg>\n', ...points.all(), extensionsElement(extensions), '</trkseg>\n')
        return
      }
      const head = contentOf(line.nodes, lineLeaves, scope)
      const inside = holder === 'rte' ? points.all() : line.inside
      const into = holder === 'rte' ? routes : tracks
      for (const piece of [`<${holder}>${head}\n`, ...inside, `</${holder}>\n`]) into.add(piece)
    },
  }
  try {
    yield* readingNodes(text, handler, (prefixes) => {
      ;({ scope, declarations } = rootScope(prefixes))
    })
  } catch (error) {
    if (fault === undefined) throw error
    return { chunks: [], fault }
  }

  const { metadata, extensions } = metadataOf(rootNodes, scope, { name, description })
  return {
    chunks: [
      `<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="${escapeAttribute(madeBy)}" xmlns="${gpx11}"${declarations}>\n`,
      ...slicesOf(metadata),
      ...waypoints.all(),
      ...routes.all(),
      ...tracks.all(),
      ...slicesOf(extensions === '' ? '' : `${extensionsElement(extensions)}\n`),
      '</gpx>\n',
    ],
  }
}

/** Of GPX 1.1, and what 1.0 has of it at the root. */
function metadataOf(
  nodes: readonly GpxNode[],
  scope: Scope,
  { name, description }: Pick<Rewriting, 'name' | 'description'>,
): { metadata: string; extensions: string } {
  const isMetadata = ({ isGpx, local }: GpxNode): boolean => isGpx && local === 'metadata'
  const isOf10 = (node: GpxNode): boolean => node.isGpx && (metadataLeaves.has(node.local) || isAddress(node))
  const isEmail = ({ isGpx, local }: GpxNode): boolean => isGpx && local === 'email'
  const parts = takeAll(nodes.filter(isMetadata).flatMap(childrenOf), metadataLeaves, scope)
  takeAll(nodes.filter(isOf10), metadataLeaves, scope, parts)
  const email = nodes.find(isEmail)
  if (email !== undefined) {
    const element = emailElement(textOf(email).trim())
    const known = parts.leaves.get('author') ?? ''
    const author = known === '' ? '<author></author>' : known
    const behindName = /<link |<\/author>/.exec(author)?.index ?? 0
    if (!author.includes('<email '))
      parts.leaves.set('author', author.slice(0, behindName) + element + author.slice(behindName))
  }
  if (!blank(name)) parts.leaves.set('name', `<name>${escapeText(name)}</name>`)
  if (!blank(description)) parts.leaves.set('desc', `<desc>${escapeText(description)}</desc>`)
  const content = inOrder(parts, metadataLeaves) + extensionsElement(parts.extensions)
  const others = nodes.filter((node) => !isMetadata(node) && !isOf10(node) && !isEmail(node))
  const { extensions } = takeAll(others, new Map(), scope)
  return { metadata: content === '' ? '' : `<metadata>${content}</metadata>\n`, extensions }
}
