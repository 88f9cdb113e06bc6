// Content of `extensions` as the schema requires it: in a declared namespace, and not in GPX's own.
import { gpx11 } from '../gpx-elements.ts'
import { prefixOf } from '../gpx-namespaces.ts'
import { escapeAttribute, escapeText } from '../gpx-text.ts'
import { ownAttributes, type GpxName, type GpxNames } from './gpx-nodes.ts'

/** For elements without a namespace, which the schema does not allow: their names stay as they are. */
const noNamespace = 'urn:gpx:no-namespace'

/** Prefixes that devices and programs use without declaring them. */
const usual: ReadonlyMap<string, string> = new Map([
  ['gpxtpx', 'http://www.garmin.com/xmlschemas/TrackPointExtension/v1'],
  ['gpxx', 'http://www.garmin.com/xmlschemas/GpxExtensions/v3'],
  ['gpxpx', 'http://www.garmin.com/xmlschemas/PowerExtension/v1'],
  ['gpxtrkx', 'http://www.garmin.com/xmlschemas/TrackStatsExtension/v1'],
  ['wptx1', 'http://www.garmin.com/xmlschemas/WaypointExtension/v1'],
  ['gpx_style', 'http://www.topografix.com/GPX/gpx_style/0/2'],
  ['xsi', 'http://www.w3.org/2001/XMLSchema-instance'],
])

const undeclared = (prefix: string): string => usual.get(prefix) ?? `urn:gpx:undeclared:${prefix}`

const instances = 'http://www.w3.org/2001/XMLSchema-instance'

/** XML's own namespaces may not be bound to another prefix, and a prefix may not be bound to no namespace. */
const mayBeDeclared = (namespace: string): boolean =>
  namespace !== '' &&
  !namespace.startsWith('http://www.w3.org/XML/') &&
  !namespace.startsWith('http://www.w3.org/2000/')

/** XML allows colons anywhere in a name; with namespaces, only one, between prefix and local name. */
const simpleName = /^[a-z_][\w.-]*(?::[a-z_][\w.-]*)?$/i
const plainName = (name: string): string => {
  if (simpleName.test(name) && !name.startsWith('xmlns:')) return name
  const [first = '', ...others] = name.split(':').filter((part) => part !== '')
  // What begins with a colon has no prefix: the one that would come of it may stand for something else.
  const hasPrefix = others.length > 0 && first !== 'xmlns' && !name.startsWith(':')
  const local = (hasPrefix ? others : [first, ...others]).join('_')
  const isDeclaration = !hasPrefix && local === 'xmlns'
  return (hasPrefix ? `${first}:` : '') + (/^[\p{L}_]/u.test(local) && !isDeclaration ? local : `_${local}`)
}

/**
 * The namespace of each prefix in the output; '' is the default. When an element ends, it restores what it declared.
 */
export type Scope = Map<string, string>

/** The scope of the whole document, and its declarations as attributes. */
export function rootScope(prefixes: ReadonlyMap<string, string>): { scope: Scope; declarations: string } {
  const used = [...prefixes].filter(
    ([prefix, namespace]) =>
      mayBeDeclared(namespace) && /^[\p{L}_]/u.test(prefix) && !/:|^xml(?:ns)?$/.test(prefix),
  )
  return {
    scope: new Map([['', gpx11], ...used]),
    declarations: used
      .map(([prefix, namespace]) => ` xmlns:${prefix}="${escapeAttribute(namespace)}"`)
      .join(''),
  }
}

/** The document's namespace for a prefix, if it is allowed. */
const namespaceOf = (prefix: string, declared: string | undefined): string =>
  declared === undefined || !mayBeDeclared(declared) ? undeclared(prefix) : declared

interface OpenForeign {
  readonly name: string
  /** Scope entries that its declarations have replaced. */
  readonly before: readonly (readonly [prefix: string, namespace: string | undefined])[]
}

const nothing: OpenForeign['before'] = []

/** Writes elements as they are parsed, so that none of them has to be held in memory. */
export function createForeignWriter(names: Pick<GpxNames, 'namespaceOf'>) {
  const open: OpenForeign[] = []
  let scope: Scope = new Map([['', gpx11]])
  let add: (text: string) => void = () => undefined
  /** The last start tag is still open. */
  let isStartOpen = false
  /**
   * A namespace may be as long as a tag, and be declared by each of a million elements, so the last one is cached.
   */
  let [escapedLast, ofLast] = ['', '']

  const escapedNamespace = (namespace: string): string => {
    if (namespace !== ofLast) [escapedLast, ofLast] = [escapeAttribute(namespace), namespace]
    return escapedLast
  }
  const endStart = (): void => {
    if (isStartOpen) add('>')
    isStartOpen = false
  }

  return {
    /** The declarations of the root, within which every other element is written. */
    begin(rootScope: Scope): void {
      scope = rootScope
    },
    isOpen: (): boolean => open.length > 0,
    /**
     * @param to the output for a child of `extensions` itself; other elements are written into the one that is open.
     */
    open(element: GpxName, attributes: readonly string[], to?: (text: string) => void): void {
      if (to !== undefined) add = to
      endStart()
      const name = element.isGpx ? plainName(element.local).replaceAll(':', '_') : plainName(element.name)
      const prefix = prefixOf(name)
      let before: (readonly [prefix: string, namespace: string | undefined])[] | undefined
      let declarations = ''
      const declare = (of: string, as: string): void => {
        if (of === 'xml' || scope.get(of) === as) return
        before ??= []
        before.push([of, scope.get(of)])
        scope.set(of, as)
        declarations += ` xmlns${of === '' ? '' : `:${of}`}="${escapedNamespace(as)}"`
      }
      const ofGpx = to !== undefined || scope.get('') !== gpx11 ? noNamespace : gpx11
      declare(prefix, element.isGpx ? ofGpx : namespaceOf(prefix, element.namespace))
      let said = ''
      const written = attributes.length > 2 ? new Set<string>() : undefined
      for (const [attribute, value] of ownAttributes(attributes)) {
        const as = plainName(attribute)
        const ofAttribute = prefixOf(as)
        const namespace =
          ofAttribute === ''
            ? ''
            : namespaceOf(ofAttribute, attribute.includes(':') ? names.namespaceOf(attribute) : '')
        const local = as.slice(as.indexOf(':') + 1)
        // Schema locations matter only to the author; a validator would fetch them.
        if (namespace === instances && local.endsWith('chemaLocation')) continue
        if (written?.has(`${namespace} ${local}`) === true) continue // the same attribute with two prefixes of one namespace
        written?.add(`${namespace} ${local}`)
        if (ofAttribute !== '') declare(ofAttribute, namespace)
        said += ` ${as}="${escapeAttribute(value)}"`
      }
      open.push({ name, before: before ?? nothing })
      add(`<${name}${declarations}${said}`)
      isStartOpen = true
    },
    text(text: string): void {
      endStart()
      add(escapeText(text))
    },
    close(): void {
      const element = open.pop()
      if (element === undefined) return
      for (let index = element.before.length - 1; index >= 0; index -= 1) {
        const [prefix, namespace] = element.before[index] ?? ['', undefined]
        if (namespace === undefined) scope.delete(prefix)
        else scope.set(prefix, namespace)
      }
      add(isStartOpen ? '/>' : `</${element.name}>`)
      isStartOpen = false
    },
  }
}

export type ForeignWriter = ReturnType<typeof createForeignWriter>
