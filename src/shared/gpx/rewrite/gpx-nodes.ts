// Elements of a GPX document: names resolved in their scope, and small elements as trees.
import { gpx10, gpx11 } from '../gpx-elements.ts'
import { createGpxNamespaces, prefixOf } from '../gpx-namespaces.ts'

export interface GpxName {
  /** As written, with its prefix. */
  readonly name: string
  readonly local: string
  /** '' for none; undefined if its prefix is not declared. */
  readonly namespace: string | undefined
  /** Whether it belongs to GPX: its namespace is the document's, another GPX namespace, or none. */
  readonly isGpx: boolean
}

export interface GpxNode extends GpxName {
  /** Alternating names and values. */
  readonly attributes: readonly string[]
  readonly children: (GpxNode | string)[]
}

const isDeclaration = (attribute: string): boolean => attribute === 'xmlns' || attribute.startsWith('xmlns:')

/** The declarations among the attributes; undefined if there are none. */
function declarationsIn(attributes: readonly string[]): Record<string, string> | undefined {
  let found: Record<string, string> | undefined
  for (let index = 0; index < attributes.length; index += 2) {
    const name = attributes[index] ?? ''
    if (!isDeclaration(name)) continue
    found ??= {}
    found[name] = attributes[index + 1] ?? ''
  }
  return found
}

/** The attributes that are not declarations. */
export function* ownAttributes(
  attributes: readonly string[],
): Generator<[name: string, value: string], void> {
  for (let index = 0; index < attributes.length; index += 2) {
    const name = attributes[index] ?? ''
    if (!isDeclaration(name)) yield [name, attributes[index + 1] ?? '']
  }
}

export function prefixesIn(attributes: readonly string[]): Map<string, string> {
  const prefixes = new Map<string, string>()
  for (const [name, value] of Object.entries(declarationsIn(attributes) ?? {}))
    if (name !== 'xmlns') prefixes.set(name.slice('xmlns:'.length), value)
  return prefixes
}

/** Tracks the namespace declarations of a document, element by element. */
export function createGpxNames() {
  const namespaces = createGpxNamespaces()
  /** For each open element, whether it declares something. */
  const declaring: boolean[] = []
  let rootNamespace: string | undefined
  /** Resolved names in the current scope, cached: the same few occur a hundred thousand times. */
  let known = new Map<string, GpxName>()

  const isGpx = (namespace: string | undefined): boolean =>
    namespace === rootNamespace || namespace === '' || namespace === gpx10 || namespace === gpx11

  const meaningOf = (name: string): GpxName => {
    const prefix = prefixOf(name)
    const namespace = namespaces.of(name)
    rootNamespace ??= namespace ?? ''
    const local = prefix === '' ? name : name.slice(prefix.length + 1)
    return { name, local, namespace, isGpx: isGpx(namespace) }
  }

  return {
    enter(name: string, attributes: readonly string[]): GpxName {
      const declarations = declarationsIn(attributes)
      declaring.push(declarations !== undefined)
      if (declarations !== undefined) {
        namespaces.enter(declarations)
        if (known.size > 0) known = new Map()
      }
      let meaning = known.get(name)
      if (meaning === undefined) known.set(name, (meaning = meaningOf(name)))
      return meaning
    },
    leave(): void {
      if (declaring.pop() !== true) return
      namespaces.leave()
      if (known.size > 0) known = new Map()
    },
    /** Resolves an attribute with a prefix. */
    namespaceOf: (attribute: string): string | undefined => namespaces.of(attribute),
  }
}

export type GpxNames = ReturnType<typeof createGpxNames>

/** The text of an element without the text of its children. */
export function textOf({ children }: GpxNode): string {
  const [only] = children
  if (children.length === 1 && typeof only === 'string') return only
  return children.filter((child) => typeof child === 'string').join('')
}

export function valueOf(attributes: readonly string[], name: string): string | undefined {
  for (let index = 0; index < attributes.length; index += 2)
    if (attributes[index] === name) return attributes[index + 1]
  return undefined
}

export const attributeOf = ({ attributes }: GpxNode, name: string): string | undefined =>
  valueOf(attributes, name)

/** The child elements. */
export const childrenOf = ({ children }: GpxNode): GpxNode[] =>
  children.filter((child) => typeof child !== 'string')

/** The elements that are read within `link`, `author` and `copyright`. */
const inner = new Set(['text', 'type', 'name', 'email', 'link', 'year', 'license'])

/**
 * Reads one element with these children, only the first of each name, so that it stays small however much there is.
 */
export function createTreeReader() {
  const open: GpxNode[] = []
  /** Depth within an ignored element. */
  let skipped = 0

  return {
    isOpen: (): boolean => open.length > 0,
    open(name: GpxName, attributes: readonly string[]): void {
      const parent = open.at(-1)
      const isLeftOut =
        skipped > 0 ||
        (parent !== undefined &&
          (!name.isGpx ||
            !inner.has(name.local) ||
            childrenOf(parent).some(({ local }) => local === name.local)))
      if (isLeftOut) {
        skipped += 1
        return
      }
      const { name: written, local, namespace, isGpx } = name
      const node = { name: written, local, namespace, isGpx, attributes, children: [] }
      parent?.children.push(node)
      open.push(node)
    },
    wantsText: (): boolean => skipped === 0,
    text(text: string): void {
      const children = open.at(-1)?.children ?? []
      const last = children.at(-1)
      if (typeof last === 'string') children[children.length - 1] = last + text
      else children.push(text)
    },
    /** @returns the whole element when it ends. */
    close(): GpxNode | undefined {
      if (skipped > 0) {
        skipped -= 1
        return undefined
      }
      const node = open.pop()
      return open.length === 0 ? node : undefined
    },
  }
}
