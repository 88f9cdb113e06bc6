// What stands in `extensions`, as the schema wants it: of a namespace that is declared, and not of GPX's own.
import { gpx11 } from '../gpx-elements.ts'
import { prefixOf } from '../gpx-namespaces.ts'
import { escapeAttribute, escapeText } from '../gpx-text.ts'
import type { GpxNode } from './gpx-nodes.ts'

/** Of elements without a namespace of their own, which the schema has no place for: their names stay as they are. */
const noNamespace = 'urn:gpx:no-namespace'

/** Prefixes that devices and programs write without declaring them. */
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

/** Those of XML itself, which no other prefix may have; nor may one have none. */
const mayBeDeclared = (namespace: string): boolean =>
  namespace !== '' &&
  !namespace.startsWith('http://www.w3.org/XML/') &&
  !namespace.startsWith('http://www.w3.org/2000/')

/** Names may have colons anywhere in XML, and one between two parts with namespaces. */
const plainName = (name: string): string => {
  const [first = '', ...others] = name.split(':').filter((part) => part !== '')
  const prefix = others.length === 0 || first === 'xmlns' ? '' : `${first}:`
  const local = (prefix === '' ? [first, ...others] : others).join('_')
  return prefix + (/^[\p{L}_]/u.test(local) ? local : `_${local}`)
}

/** What each prefix stands for where we write; '' is the default. An element puts back what it declared when it ends. */
export type Scope = Map<string, string>

/** The scope of the whole document, and its declarations as attributes. */
export function rootScope(prefixes: ReadonlyMap<string, string>): { scope: Scope; declarations: string } {
  const used = [...prefixes].filter(
    ([prefix, namespace]) => mayBeDeclared(namespace) && !/^$|:|^xml(?:ns)?$/.test(prefix),
  )
  return {
    scope: new Map([['', gpx11], ...used]),
    declarations: used
      .map(([prefix, namespace]) => ` xmlns:${prefix}="${escapeAttribute(namespace)}"`)
      .join(''),
  }
}

/** What the document means by a prefix, where it may mean that. */
const namespaceOf = (prefix: string, declared: string | undefined): string =>
  declared === undefined || !mayBeDeclared(declared) ? undeclared(prefix) : declared

/** @param isDirect of a child of `extensions` itself. */
export function writeForeign(node: GpxNode, scope: Scope, isDirect = true): string {
  const name = node.isGpx ? plainName(node.local).replaceAll(':', '_') : plainName(node.name)
  const prefix = prefixOf(name)
  const own = namespaceOf(prefix, node.namespace)
  const ofGpx = isDirect || scope.get('') !== gpx11 ? noNamespace : gpx11
  const before: [prefix: string, namespace: string | undefined][] = []
  let declarations = ''
  const declare = (of: string, as: string): void => {
    if (of === 'xml' || scope.get(of) === as) return
    before.push([of, scope.get(of)])
    scope.set(of, as)
    declarations += ` xmlns${of === '' ? '' : `:${of}`}="${escapeAttribute(as)}"`
  }
  declare(prefix, node.isGpx ? ofGpx : own)
  let attributes = ''
  const written = new Set<string>()
  for (const attribute of node.attributes) {
    const as = plainName(attribute.name)
    const ofAttribute = prefixOf(as)
    const namespace = ofAttribute === '' ? '' : namespaceOf(ofAttribute, attribute.namespace)
    const local = as.slice(as.indexOf(':') + 1)
    // Hints at schemas are for who wrote them; a validator would fetch them.
    if (namespace === instances && local.endsWith('chemaLocation')) continue
    if (written.has(`${namespace} ${local}`)) continue // by two prefixes of one namespace
    written.add(`${namespace} ${local}`)
    if (ofAttribute !== '') declare(ofAttribute, namespace)
    attributes += ` ${as}="${escapeAttribute(attribute.value)}"`
  }
  let content = ''
  for (const child of node.children)
    content += typeof child === 'string' ? escapeText(child) : writeForeign(child, scope, false)
  for (const [of, as] of before.toReversed())
    if (as === undefined) scope.delete(of)
    else scope.set(of, as)
  const start = `<${name}${declarations}${attributes}`
  return node.children.length === 0 ? `${start}/>` : `${start}>${content}</${name}>`
}
