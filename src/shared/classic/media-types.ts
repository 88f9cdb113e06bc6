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
 * The format of a body by its Content-Type (without parameters); undefined for anything else, no Content-Type
 * included (C6). A structured suffix of an application type tells the format too (RFC 6839):
 * application/vnd.example+json is JSON.
 */
export function bodyFormatOf(essence: string | undefined): BodyFormat | undefined {
  const name = essence?.toLowerCase() ?? ''
  const suffix = name.startsWith('application/') ? /\+(json|xml)$/.exec(name)?.[1] : undefined
  return bodyFormats.get(suffix === undefined ? name : `application/${suffix}`)
}

/** What curl, wget, PHP and Java declare unless they are told otherwise: it says nothing of the body (C6, C15). */
export const defaultFormType = 'application/x-www-form-urlencoded'

const starts: ReadonlyMap<string, BodyFormat> = new Map([
  ['{', 'json'],
  ['[', 'json'],
  ['<', 'xml'],
])

/** Undefined where the first character begins neither JSON nor XML, as white space does not (C6). A byte-order mark is no character. */
export function formatByStart(body: Uint8Array): BodyFormat | undefined {
  const start = new TextDecoder(encodingByStart(body)).decode(body.subarray(0, maxStartBytes))
  return starts.get(start.slice(0, 1))
}

/** A byte-order mark and one character of UTF-8 or UTF-16 are no longer. */
const maxStartBytes = 8
