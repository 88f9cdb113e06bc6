// The elements of GPX 1.1 that hold values, each in the schema's form, or nothing if the value is invalid.
import { readGpxNumber, readGpxTimestamp } from '../gpx-values.ts'
import { addressText, decimal, escapeAttribute, escapeText } from '../gpx-text.ts'
import { attributeOf, childrenOf, textOf, type GpxNode } from './gpx-nodes.ts'

/** The element as it is written; '' if it has no content that the schema allows. */
type Leaf = (node: GpxNode) => string
export type Leaves = ReadonlyMap<string, Leaf>

const plainDecimal = /^[+-]?(?:\d{1,17}(?:\.\d{0,15})?|\.\d{1,15})$/

/** As written if the schema accepts that, otherwise the same number in another form. */
export function decimalText(text: string | undefined): string | undefined {
  const trimmed = (text ?? '').trim()
  if (plainDecimal.test(trimmed)) return trimmed
  const number = readGpxNumber(trimmed)
  return number === undefined || Math.abs(number.value) >= 1e17 ? undefined : decimal(number.value)
}

const leaf =
  (valueOf: (text: string) => string | undefined): Leaf =>
  (node) => {
    const value = valueOf(textOf(node))
    return value === undefined ? '' : `<${node.local}>${escapeText(value)}</${node.local}>`
  }

const text = leaf((value) => value)
const number = leaf(decimalText)
const whole = (max = Infinity): Leaf =>
  leaf((value) => {
    const trimmed = value.trim()
    return /^\d{1,15}$/.test(trimmed) && Number(trimmed) <= max ? trimmed : undefined
  })
const degrees = leaf((value) => {
  const read = decimalText(value)
  return read !== undefined && Number(read) >= 0 && Number(read) < 360 ? read : undefined
})
const fixes = new Set(['none', '2d', '3d', 'dgps', 'pps'])
const fix = leaf((value) => {
  const trimmed = value.trim().toLowerCase()
  return fixes.has(trimmed) ? trimmed : undefined
})

const [firstMs, lastMs] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/** As written; in UTC if no zone is given, or if the schema does not allow the second, the year or the zone. */
export function timeText(value: string): string | undefined {
  const trimmed = value.trim()
  const read = readGpxTimestamp(trimmed)
  if (read === undefined || read.timeMs < firstMs || read.timeMs > lastMs) return undefined
  const hasOddZone = /:[6-9]\d$/.test(trimmed) // +00:90
  if (trimmed.slice(17, 19) === '60' || trimmed.startsWith('0000') || hasOddZone)
    return new Date(read.timeMs).toISOString()
  return read.hasZone ? trimmed : `${trimmed}Z`
}

/** From GPX 1.1, with its text and type, or the link text of 1.0. */
export function linkElement(href: string, parts: readonly GpxNode[] = []): string {
  const inside = ['text', 'type'].map((name) => {
    const part = parts.find(({ local, isGpx }) => isGpx && local === name)
    return part === undefined ? '' : text(part)
  })
  return `<link href="${escapeAttribute(addressText(href))}">${inside.join('')}</link>`
}

const link: Leaf = (node) => {
  const href = attributeOf(node, 'href')
  return href === undefined ? '' : linkElement(href, childrenOf(node))
}

export function emailElement(address: string): string {
  const at = address.lastIndexOf('@')
  if (at < 1 || at === address.length - 1) return ''
  return `<email id="${escapeAttribute(address.slice(0, at))}" domain="${escapeAttribute(address.slice(at + 1))}"/>`
}

const email: Leaf = (node) => {
  const [id, domain] = [attributeOf(node, 'id'), attributeOf(node, 'domain')]
  if (id === undefined || domain === undefined) return emailElement(textOf(node).trim())
  return `<email id="${escapeAttribute(id)}" domain="${escapeAttribute(domain)}"/>`
}

/** A person; GPX 1.0 has only the name, as text. */
const author: Leaf = (node) => {
  const parts = childrenOf(node).filter(({ isGpx }) => isGpx)
  if (parts.length === 0) {
    const name = textOf(node).trim()
    return name === '' ? '' : `<author><name>${escapeText(name)}</name></author>`
  }
  const inside = [
    ['name', text],
    ['email', email],
    ['link', link],
  ] as const
  const written = inside.map(([name, write]) => {
    const part = parts.find(({ local }) => local === name)
    return part === undefined ? '' : write(part)
  })
  return `<author>${written.join('')}</author>`
}

const copyright: Leaf = (node) => {
  const holder = attributeOf(node, 'author')
  if (holder === undefined) return ''
  const partOf = (name: string): string =>
    textOf(childrenOf(node).find(({ local }) => local === name) ?? { ...node, children: [] }).trim()
  const [year, license] = [partOf('year'), partOf('license')]
  const inside = [
    /^\d{4}$/.test(year) && year !== '0000' ? `<year>${year}</year>` : '',
    license === '' ? '' : `<license>${escapeText(addressText(license))}</license>`,
  ]
  return `<copyright author="${escapeAttribute(holder)}">${inside.join('')}</copyright>`
}

/** The schema excludes 180 degrees, which is the same place as -180. */
export function lonText(value: string | undefined): string | undefined {
  const read = decimalText(value)
  return read !== undefined && Number(read) === 180 ? '-180' : read
}

const bounds: Leaf = (node) => {
  const names = ['minlat', 'minlon', 'maxlat', 'maxlon'] as const
  const values = names.map((name) => decimalText(attributeOf(node, name)))
  const isValid = values.every((value, index) => {
    const max = index % 2 === 0 ? 90 : 180
    const edge = Number(value ?? NaN)
    return Math.abs(edge) <= max && edge !== 180
  })
  if (!isValid) return ''
  return `<bounds ${names.map((name, index) => `${name}="${values[index] ?? ''}"`).join(' ')}/>`
}

const time = leaf(timeText)

/** In the order of the schema. Only `link` may occur more than once. */
export const pointLeaves: Leaves = new Map([
  ['ele', number],
  ['time', time],
  ['magvar', degrees],
  ['geoidheight', number],
  ['name', text],
  ['cmt', text],
  ['desc', text],
  ['src', text],
  ['link', link],
  ['sym', text],
  ['type', text],
  ['fix', fix],
  ['sat', whole()],
  ['hdop', number],
  ['vdop', number],
  ['pdop', number],
  ['ageofdgpsdata', number],
  ['dgpsid', whole(1023)],
])

export const lineLeaves: Leaves = new Map([
  ['name', text],
  ['cmt', text],
  ['desc', text],
  ['src', text],
  ['link', link],
  ['number', whole()],
  ['type', text],
])

export const metadataLeaves: Leaves = new Map([
  ['name', text],
  ['desc', text],
  ['author', author],
  ['copyright', copyright],
  ['link', link],
  ['time', time],
  ['keywords', text],
  ['bounds', bounds],
])
