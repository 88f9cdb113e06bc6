// Reads what a server answered: JSON and XML that may be wrong in any way, and values in the words of a sentence.
import { runYielding } from '../../src/shared/yielding.ts'
import { readingXml, type XmlElement } from '../../src/shared/xml/xml-reader.ts'

export interface Answer {
  readonly asked: string
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  /** The bytes as UTF-8. */
  readonly text: string
  /** Media type without parameters, in small letters. */
  readonly type: string
}

/** A JSON object, whatever is in it. */
export type Fields = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @returns undefined where it is no JSON. */
export function readJsonAnswer({ text }: Pick<Answer, 'text'>): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The values of a field as they are written, strings in their quotation marks; none where the text is no JSON. */
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

/** The number in `<long>`, where that is the whole document. */
export const longIn = (text: string): string | undefined =>
  /^\s*(?:<\?xml[^>]*\?>\s*)?<long\b[^>]*>(\d+)<\/long>\s*$/.exec(text)?.[1]

/**
 * The id that an upload was answered with: the whole body, or the end of Location. Digits in anything else may be of
 * somebody else's photo, which what follows would then write to.
 */
export function uploadedId({ status, text, headers }: Answer): string | undefined {
  if (status >= 300) return undefined
  const isId = (word: string): boolean => /^\d+$/.test(word)
  const bare = text.trim()
  const [set, last = ''] = (headers.get('location') ?? '').split('/').filter(Boolean).slice(-2)
  return [bare, longIn(text) ?? '', set === 'Images' ? last : ''].find(isId)
}

/** In JSON, where a slash may be written in two ways. */
export const hasBareSlash = (text: string): boolean => text.replaceAll(/\\./g, '').includes('/')

/** @returns undefined where it is no XML. */
export async function readXmlAnswer({ bytes, headers }: Answer): Promise<XmlElement | undefined> {
  const charset = /charset="?([\w-]+)/i.exec(headers.get('content-type') ?? '')?.[1]
  const read = await runYielding(readingXml(bytes, charset))
  return read.ok ? read.value : undefined
}

const childOf = ({ children }: XmlElement, name: string): XmlElement | undefined =>
  children.find((child) => child.name === name)

/** The text of a child element; undefined where there is none, or it is nil. */
export function textOf(element: XmlElement, name: string): string | undefined {
  const child = childOf(element, name)
  return child === undefined || child.nil ? undefined : child.text
}

/** A value as a sentence tells it. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  const text = JSON.stringify(value)
  const short = text.length > 80 ? `${text.slice(0, 80)}…` : text
  return typeof value === 'object' || typeof value === 'string' ? short : `${short}, a bare ${typeof value}`
}

/** An image or route among others, by its id. */
export const named = (word: 'image' | 'route', { [`${word}ID`]: id }: Fields): string =>
  typeof id === 'number' || typeof id === 'string' ? `${word} ${id}` : `an ${word} without an ID`

/** The first breach among the items, and of how many more the same is true. */
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
