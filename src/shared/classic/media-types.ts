// The media types of the bodies of the classic surface.
import { encodingByStart } from '../text/text-encoding.ts'

/** The two formats of the classic surface. */
export type BodyFormat = 'json' | 'xml'

const bodyFormats: ReadonlyMap<string, BodyFormat> = new Map([
  ['application/json', 'json'],
  ['text/json', 'json'],
  ['application/xml', 'xml'],
  ['text/xml', 'xml'],
])

/**
 * The format of a body by its Content-Type (without parameters); undefined for anything else, including none (C6). A
 * structured suffix of an application type also counts (RFC 6839): application/vnd.example+json is JSON.
 */
export function bodyFormatOf(essence: string | undefined): BodyFormat | undefined {
  const name = essence?.toLowerCase() ?? ''
  const suffix = name.startsWith('application/') ? /\+(json|xml)$/.exec(name)?.[1] : undefined
  return bodyFormats.get(suffix === undefined ? name : `application/${suffix}`)
}

/** The default type of curl, wget, PHP and Java, which says nothing about the body (C6, C15). */
export const defaultFormType = 'application/x-www-form-urlencoded'

const starts: ReadonlyMap<string, BodyFormat> = new Map([
  ['{', 'json'],
  ['[', 'json'],
  ['<', 'xml'],
])

/**
 * Undefined if the first character begins neither JSON nor XML, such as white space (C6). A byte-order mark is skipped.
 */
export function formatByStart(body: Uint8Array): BodyFormat | undefined {
  const start = new TextDecoder(encodingByStart(body)).decode(body.subarray(0, maxStartBytes))
  return starts.get(start.slice(0, 1))
}

/** The maximum length of a byte-order mark and one character of UTF-8 or UTF-16. */
const maxStartBytes = 8
