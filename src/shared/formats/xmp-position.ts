// Reads the position that an XMP packet states, without trusting the packet: any error means that it states none.

import { SaxesParser } from 'saxes'
import type { WrittenAxis, WrittenPosition } from './exif.ts'
import { readDecimal } from './tiff.ts'

/** The role of an open element; only the path RDF / Description / property counts. */
type Role = 'rdf' | 'description' | PropertyName | 'other'
type PropertyName = 'GPSLatitude' | 'GPSLongitude'

interface OpenElement {
  role: Role
  /** Prefix to namespace, of the declarations on this element alone; "" is the default namespace. */
  readonly namespaces: ReadonlyMap<string, string>
}

const rdfNamespace = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
const exifNamespace = 'http://ns.adobe.com/exif/1.0/'

/** Real packets nest below 20; the limit keeps a hostile one from making every lookup long. */
const maxDepth = 64

/**
 * Takes a packet in UTF-8 or UTF-16; never throws. The work is bounded by the size, which callers limit to 1 MiB: 0.3 s
 * for the worst packet. Properties count only directly in a Description of the outermost RDF: packets of composed
 * pictures contain those of other photos (xmpMM:Pantry) further down.
 */
export function readXmpPosition(bytes: Uint8Array): WrittenPosition | undefined {
  const packet = decodePacket(bytes)
  // XML names cannot be escaped, so this spares nearly every photo the parsing.
  if (!packet.includes('GPSLatitude') || !packet.includes('GPSLongitude')) return undefined
  const properties = readProperties(packet)
  const latitude = readAxis(properties.get('GPSLatitude'))
  const longitude = readAxis(properties.get('GPSLongitude'))
  return latitude === undefined || longitude === undefined ? undefined : { latitude, longitude }
}

/** Whether the packet names a coordinate at all, valid or not; it need not be well-formed. */
export function namesPosition(bytes: Uint8Array): boolean {
  return /GPSL(?:atitude|ongitude)\b/.test(decodePacket(bytes))
}

/**
 * A byte-order mark or the zero half of the first "<" means UTF-16, everything else is UTF-8. Invalid bytes become
 * replacement characters: an old caption in Latin-1 changes no digit of the position.
 */
function decodePacket(bytes: Uint8Array): string {
  const start = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)
  const isBigEndian = start === 0xfeff || start === 0x003c
  const isLittleEndian = start === 0xfffe || start === 0x3c00
  const encoding = isBigEndian ? 'utf-16be' : isLittleEndian ? 'utf-16le' : 'utf-8'
  const text = new TextDecoder(encoding).decode(bytes)
  // Some writers fill the rest of the segment with NULs, which XML forbids.
  let end = text.length
  while (end > 0 && text.charCodeAt(end - 1) === 0) end -= 1
  return text.slice(0, end)
}

/** The first value of each property; an empty map when the packet is not well-formed, too deep or has a DOCTYPE. */
function readProperties(packet: string): ReadonlyMap<PropertyName, string> {
  const found = new Map<PropertyName, string>()
  const open: OpenElement[] = []
  let text = ''
  // Namespaces are looked up here, and for four names only: the parser would do it for every attribute.
  const parser = new SaxesParser({ xmlns: false, position: false })

  parser.on('doctype', () => parser.fail('a packet with a DOCTYPE is not read'))
  parser.on('opentag', (tag) => {
    if (open.length >= maxDepth) parser.fail('a packet nested this deeply is not read')
    const element: OpenElement = { role: 'other', namespaces: readNamespaces(tag.attributes) }
    const parent = open.at(-1)?.role
    open.push(element)
    element.role = findRole(tag.name, parent, open)
    if (element.role === 'description') collectAttributes(tag.attributes, open, found)
    text = ''
  })
  const collectText = (piece: string): void => {
    if (isProperty(open.at(-1)?.role)) text += piece
  }
  parser.on('text', collectText)
  parser.on('cdata', collectText)
  parser.on('closetag', () => {
    const role = open.pop()?.role
    if (isProperty(role) && !found.has(role)) found.set(role, text)
  })

  try {
    parser.write(packet).close()
  } catch {
    // saxes throws at the first error: a broken packet states nothing and must never fail an upload (C16).
    return new Map()
  }
  return found
}

function readNamespaces(attributes: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const namespaces = new Map<string, string>()
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'xmlns') namespaces.set('', value)
    else if (name.startsWith('xmlns:')) namespaces.set(name.slice('xmlns:'.length), value)
  }
  return namespaces
}

function findRole(name: string, parent: Role | undefined, open: readonly OpenElement[]): Role {
  const local = name.slice(name.indexOf(':') + 1)
  // RDF is the root, or the only child of x:xmpmeta.
  if (local === 'RDF' && open.length <= 2 && findNamespace(name, open) === rdfNamespace) return 'rdf'
  if (local === 'Description' && parent === 'rdf' && findNamespace(name, open) === rdfNamespace)
    return 'description'
  if (isProperty(local) && parent === 'description' && findNamespace(name, open) === exifNamespace)
    return local
  return 'other'
}

function collectAttributes(
  attributes: Readonly<Record<string, string>>,
  open: readonly OpenElement[],
  found: Map<PropertyName, string>,
): void {
  for (const [name, value] of Object.entries(attributes)) {
    const colon = name.indexOf(':')
    const local = name.slice(colon + 1)
    // An attribute without a prefix is in no namespace, not in the default one.
    if (colon < 1 || !isProperty(local) || found.has(local)) continue
    if (findNamespace(name, open) === exifNamespace) found.set(local, value)
  }
}

function findNamespace(name: string, open: readonly OpenElement[]): string | undefined {
  const prefix = name.slice(0, Math.max(name.indexOf(':'), 0))
  return open.findLast((element) => element.namespaces.has(prefix))?.namespaces.get(prefix)
}

function isProperty(name: string | undefined): name is PropertyName {
  return name === 'GPSLatitude' || name === 'GPSLongitude'
}

/**
 * "50,17,58.57N" or "50,17.976167N", also "50.2996028N": decimals only in the last number, the letter of the
 * hemisphere at the end. The XMP specification writes seconds whole, programs do not.
 */
function readAxis(text: string | undefined): WrittenAxis | undefined {
  const value = text?.trim() ?? ''
  const numbers = value.slice(0, -1).split(',')
  const parts = numbers.map(readDecimal)
  const isReadable =
    numbers.length <= 3 &&
    parts.every((part) => part.denominator > 0n) &&
    parts.slice(0, -1).every((part) => part.denominator === 1n)
  return isReadable ? { parts, reference: value.slice(-1) } : undefined
}
