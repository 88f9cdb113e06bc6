// Parses responses: JSON and XML with any kind of error, and values as text for a message.
import { runYielding } from '../../src/shared/yielding.ts'
import { readingXml, type XmlElement } from '../../src/shared/xml/xml-reader.ts'

export interface Answer {
  readonly asked: string
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  /** The bytes as UTF-8. */
  readonly text: string
  /** Media type without parameters, in lower case. */
  readonly type: string
}

/** Any JSON object. */
export type Fields = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An ID beyond 2^53 as a bigint: as a number it would lose its last digits, and name another image or none. */
function exactId(key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source ?? ''
  const isLong = key.endsWith('ID') && typeof value === 'number' && !Number.isSafeInteger(value)
  return isLong && /^-?\d+$/.test(source) ? BigInt(source) : value
}

/** @returns undefined if it is not JSON. */
export function readJsonAnswer({ text }: Pick<Answer, 'text'>): unknown {
  try {
    return JSON.parse(text, exactId)
  } catch {
    return undefined
  }
}

export const isWholeNumber = (value: unknown): boolean => typeof value === 'bigint' || Number.isInteger(value)

/** A numeric ID as text, exactly as the server wrote it; undefined if it is anything else. */
export const idText = (id: unknown): string | undefined =>
  typeof id === 'bigint' || Number.isSafeInteger(id) ? String(id) : undefined

/** The raw values of a field, strings with quotation marks; none if the text is not JSON. */
export function writtenValues(text: string, name: string): string[] {
  const written: string[] = []
  try {
    JSON.parse(text, (key: string, value: unknown, context?: { readonly source?: string }) => {
      if (key === name && context?.source !== undefined) written.push(context.source)
      return value
    })
  } catch {
    return []
  }
  return written
}

/** The number in `<long>`, if that is the whole document. */
export const longIn = (text: string): string | undefined =>
  /^\s*(?:<\?xml[^>]*\?>\s*)?<long\b[^>]*>(\d+)<\/long>\s*$/.exec(text)?.[1]

/**
 * The ID in the response to an upload: the whole body, or the end of Location. Digits elsewhere may belong to someone
 * else's photo, and the next checks would write to it.
 */
export function uploadedId({ status, text, headers }: Answer): string | undefined {
  if (status >= 300) return undefined
  const isId = (word: string): boolean => /^\d+$/.test(word)
  const bare = text.trim()
  const [set, last = ''] = (headers.get('location') ?? '').split('/').filter(Boolean).slice(-2)
  return [bare, longIn(text) ?? '', set === 'Images' ? last : ''].find(isId)
}

/** In JSON, a slash may be written in two ways. */
export const hasBareSlash = (text: string): boolean => text.replaceAll(/\\./g, '').includes('/')

/** @returns undefined if it is not XML. */
export async function readXmlAnswer({ bytes, headers }: Answer): Promise<XmlElement | undefined> {
  const charset = /charset="?([\w-]+)/i.exec(headers.get('content-type') ?? '')?.[1]
  const read = await runYielding(readingXml(bytes, charset))
  return read.ok ? read.value : undefined
}

const childOf = ({ children }: XmlElement, name: string): XmlElement | undefined =>
  children.find((child) => child.name === name)

/** The text of a child element; undefined if there is none, or it is nil. */
export function textOf(element: XmlElement, name: string): string | undefined {
  const child = childOf(element, name)
  return child === undefined || child.nil ? undefined : child.text
}

/** A value as text for a message. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'bigint') return `${value}, a bare number`
  const text = JSON.stringify(value)
  const short = text.length > 80 ? `${text.slice(0, 80)}…` : text
  return typeof value === 'object' || typeof value === 'string' ? short : `${short}, a bare ${typeof value}`
}

/** Names an image or route by its ID. */
export const named = (word: 'image' | 'route', { [`${word}ID`]: id }: Fields): string =>
  idText(id) !== undefined || typeof id === 'string' ? `${word} ${String(id)}` : `an ${word} without an ID`

/** The first violation among the items, and how many more there are. */
export function firstOf<T>(
  items: readonly T[],
  breachOf: (item: T) => string | undefined,
): string | undefined {
  const breaches = items.map(breachOf).filter((breach) => breach !== undefined)
  const [first] = breaches
  const others = breaches.length - 1
  if (first === undefined || others === 0) return first
  return `${first}, and ${others.toLocaleString('en')} more like it`
}
