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

/** What each prefix stands for where we write; '' is the default. */
export type Scope = ReadonlyMap<string, string>

const reserved = 'http://www.w3.org/'

/** The scope of the whole document, and its declarations as attributes. */
export function rootScope(prefixes: ReadonlyMap<string, string>): { scope: Scope; declarations: string } {
  const used = [...prefixes].filter(
    ([prefix, namespace]) =>
      namespace !== '' &&
      !namespace.startsWith(`${reserved}XML/`) &&
      !namespace.startsWith(`${reserved}2000/`) &&
      prefix !== 'xml',
  )
  return {
    scope: new Map([['', gpx11], ...used]),
    declarations: used
      .map(([prefix, namespace]) => ` xmlns:${prefix}="${escapeAttribute(namespace)}"`)
      .join(''),
  }
}

/** @param isDirect of a child of `extensions` itself. */
export function writeForeign(node: GpxNode, outer: Scope, isDirect = true): string {
  let { name } = node
  let prefix = prefixOf(name)
  let namespace = node.namespace ?? undeclared(prefix)
  if (node.isGpx) {
    name = node.local
    prefix = ''
    namespace = isDirect || outer.get('') !== gpx11 ? noNamespace : gpx11
  }
  let scope = outer
  let declarations = ''
  const declare = (of: string, as: string): void => {
    if (of === 'xml' || scope.get(of) === as) return
    scope = new Map(scope).set(of, as)
    declarations += ` xmlns${of === '' ? '' : `:${of}`}="${escapeAttribute(as)}"`
  }
  declare(prefix, namespace)
  let attributes = ''
  for (const { name: attribute, namespace: of, value } of node.attributes) {
    const own = prefixOf(attribute)
    // Hints at schemas are for who wrote them; a validator would fetch them.
    if (own === 'xsi' && attribute.endsWith('chemaLocation')) continue
    if (own !== '') declare(own, of ?? undeclared(own))
    attributes += ` ${attribute}="${escapeAttribute(value)}"`
  }
  const start = `<${name}${declarations}${attributes}`
  if (node.children.length === 0) return `${start}/>`
  let content = ''
  for (const child of node.children)
    content += typeof child === 'string' ? escapeText(child) : writeForeign(child, scope, false)
  return `${start}>${content}</${name}>`
}
