// A GPX document as its elements come: of points, metadata and the like each a tree, of what holds points begin and end.
import { SaxesParser } from 'saxes'
import { gpx10, gpx11 } from '../gpx-elements.ts'
import { createGpxNamespaces, prefixOf } from '../gpx-namespaces.ts'

export interface GpxNode {
  /** As written, with its prefix. */
  readonly name: string
  readonly local: string
  /** '' for none; undefined where its prefix is not declared. */
  readonly namespace: string | undefined
  /** Whether it is GPX's own: of the namespace of the document, of another of GPX's, or of none. */
  readonly isGpx: boolean
  readonly attributes: readonly GpxAttribute[]
  readonly children: (GpxNode | string)[]
}

export interface GpxAttribute {
  readonly name: string
  readonly namespace: string | undefined
  readonly value: string
}

/** What points stand in. */
export type Holder = 'gpx' | 'rte' | 'trk' | 'trkseg'

export interface GpxHandler {
  readonly open: (holder: Holder, node: GpxNode) => void
  /** A child of the holder that is open, whole. @returns whether it is kept until the holder ends. */
  readonly child: (node: GpxNode) => boolean
  /** Where more than `maxHeldNodes` elements are in memory: throws, or the rest of the present child is left out. */
  readonly tooMany: () => void
  readonly close: (holder: Holder) => void
}

const holdersIn: Readonly<Record<Holder, readonly string[]>> = {
  gpx: ['rte', 'trk'],
  rte: [],
  trk: ['trkseg'],
  trkseg: [],
}

const chunkCharacters = 16 * 1024

/**
 * A point has some dozen elements, and 8 MiB have room for two million: these would take a gigabyte, and hold everybody up
 * for seconds while they are written.
 */
export const maxHeldNodes = 200_000

/**
 * Hands on a document that `readGpx` has accepted, which looks at limits and what is dangerous. In steps.
 * @param onRoot is told the prefixes that the root declares.
 * @throws where it is not well-formed after all.
 */
export function* readingNodes(
  text: string,
  handler: GpxHandler,
  onRoot: (prefixes: ReadonlyMap<string, string>) => void,
): Generator<undefined, void> {
  const parser = new SaxesParser({
    xmlns: false,
    position: false,
    defaultXMLVersion: '1.0',
    forceXMLVersion: true,
  })
  const namespaces = createGpxNamespaces()
  const holders: Holder[] = []
  const trees: GpxNode[] = []
  /** Elements in memory: of each holder that is open, and of the child that is being read. */
  const heldBy: number[] = []
  let [held, inTree] = [0, 0]
  let rootNamespace = ''
  let isListening = false

  const isGpx = (namespace: string | undefined): boolean =>
    namespace === rootNamespace || namespace === '' || namespace === gpx10 || namespace === gpx11

  const nodeOf = (name: string, attributes: Readonly<Record<string, string>>): GpxNode => {
    const prefix = prefixOf(name)
    const namespace = namespaces.of(name)
    if (holders.length === 0) rootNamespace = namespace ?? ''
    const kept: GpxAttribute[] = []
    for (const [attribute, value] of Object.entries(attributes)) {
      if (attribute === 'xmlns' || attribute.startsWith('xmlns:')) continue
      kept.push({
        name: attribute,
        namespace: attribute.includes(':') ? namespaces.of(attribute) : '',
        value,
      })
    }
    const local = prefix === '' ? name : name.slice(prefix.length + 1)
    return { name, local, namespace, isGpx: isGpx(namespace), attributes: kept, children: [] }
  }

  const listen = (): void => {
    const isWanted = trees.length > 0
    if (isWanted === isListening) return
    isListening = isWanted
    const keep = (part: string): void => void trees.at(-1)?.children.push(part)
    if (isWanted) {
      parser.on('text', keep)
      parser.on('cdata', keep)
    } else {
      parser.off('text')
      parser.off('cdata')
    }
  }

  parser.on('opentag', ({ name, attributes }) => {
    namespaces.enter(attributes)
    const node = nodeOf(name, attributes)
    const holder = holders.at(-1)
    if (holder === undefined) {
      holders.push('gpx')
      heldBy.push(0)
      onRoot(prefixesOf(attributes))
      handler.open('gpx', node)
      return
    }
    if (trees.length === 0 && node.isGpx && holdersIn[holder].includes(node.local)) {
      holders.push(node.local as Holder)
      heldBy.push(0)
      handler.open(node.local as Holder, node)
      return
    }
    inTree += 1
    if (held + inTree > maxHeldNodes) handler.tooMany()
    if (held + inTree <= maxHeldNodes) trees.at(-1)?.children.push(node)
    trees.push(node)
    listen()
  })
  parser.on('closetag', () => {
    namespaces.leave()
    const node = trees.pop()
    if (node === undefined) {
      const holder = holders.pop()
      held -= heldBy.pop() ?? 0
      if (holder !== undefined) handler.close(holder)
    } else if (trees.length === 0) {
      listen()
      const isKept = handler.child(node)
      if (isKept) {
        held += inTree
        heldBy.push((heldBy.pop() ?? 0) + inTree)
      }
      inTree = 0
    }
  })

  const lines = text.startsWith('\u{feff}') ? text.slice(1) : text
  for (let index = 0; index < lines.length; index += chunkCharacters) {
    parser.write(lines.slice(index, index + chunkCharacters))
    yield
  }
  parser.close()
}

function prefixesOf(attributes: Readonly<Record<string, string>>): Map<string, string> {
  const prefixes = new Map<string, string>()
  for (const [name, value] of Object.entries(attributes))
    if (name.startsWith('xmlns:')) prefixes.set(name.slice('xmlns:'.length), value)
  return prefixes
}

/** The text of an element without what stands in elements inside. */
export const textOf = ({ children }: GpxNode): string =>
  children.filter((child) => typeof child === 'string').join('')

export const attributeOf = ({ attributes }: GpxNode, name: string): string | undefined =>
  attributes.find((attribute) => attribute.name === name)?.value

/** The elements inside that are GPX's own, or those that are not. */
export const childrenOf = ({ children }: GpxNode): GpxNode[] =>
  children.filter((child) => typeof child !== 'string')
