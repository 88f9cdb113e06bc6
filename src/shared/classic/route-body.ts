// Reads the body of a POST or PUT of a route (C32): one route, bare or in an array, and the id it contains.
import { routeShapes } from './classic-shapes.ts'
import { readingJsonText } from '../json/json.ts'
import type { BodyFormat } from './media-types.ts'
import type { LongText } from '../text/long-text.ts'
import { malformed, taken, unsupportedMediaType } from './reading.ts'
import type { Reading } from './reading.ts'
import { jsonFields, readMention, readWritable, xmlFields } from './sent-fields.ts'
import type { SentUnder } from './sent-fields.ts'
import { decodingLongText, isUtf8Charset } from '../text/text-encoding.ts'
import { decodingXml, readingXmlText } from '../xml/xml-reader.ts'

/** The fields of a body; undefined if not sent: on PUT, the value stays. */
export interface RouteChange {
  readonly name: string | undefined
  readonly description: string | undefined
  /** Miles, decimal text; undefined for 0 and blank too (C34). */
  readonly length: string | undefined
  readonly gpx: string | undefined
  /** As `readMention` has it. */
  readonly routeID: number | undefined
}

/** One route has a handful; anything near this many is a body made to cost memory. */
const maxValues = 10_000

/** Both dates read alike; none is read. */
const shape = routeShapes.short

/**
 * Decodes a body of up to 24 MiB, in steps (yielding.ts). `charset` is the Content-Type's parameter. A separate step,
 * so that the memory of the bytes can be released before the text is parsed.
 */
export function* decodingRoute(
  format: BodyFormat,
  bytes: Uint8Array,
  charset: string | undefined,
): Generator<undefined, Reading<LongText>> {
  if (format === 'xml') return yield* decodingXml(bytes, charset)
  if (isUtf8Charset(charset)) return yield* decodingLongText(bytes, 'utf-8')
  return unsupportedMediaType('JSON must be UTF-8, but the Content-Type has another charset.')
}

/** Reads what `decodingRoute` gave, in steps. */
export function* readingRoute(
  format: BodyFormat,
  text: LongText,
): Generator<undefined, Reading<RouteChange>> {
  const fields = format === 'json' ? yield* readingJsonRoute(text) : yield* readingXmlRoute(text)
  if (!fields.ok) return fields
  const written = readWritable(shape, fields.value)
  if (!written.ok) return written
  return taken({ ...written.value, routeID: readMention('routeID', fields.value) })
}

function* readingJsonRoute(text: LongText): Generator<undefined, Reading<SentUnder>> {
  const json = yield* readingJsonText(text, { maxValues, digitsOf: 'length' })
  if (!json.ok) return json
  const { value } = json
  if (!Array.isArray(value)) return jsonFields(value, 'The route')
  if (value.length !== 1) return notOne(value.length, { line: 1, column: 1 })
  return jsonFields(value[0], 'The route')
}

function* readingXmlRoute(text: LongText): Generator<undefined, Reading<SentUnder>> {
  const whole = typeof text === 'string' ? text : text.slice(0, text.length)
  const xml = yield* readingXmlText(whole, { maxElements: maxValues })
  if (!xml.ok) return xml
  const root = xml.value
  const { root: name } = shape
  if (root.name === name) return xmlFields(root, shape, ['routeID'])
  if (root.name !== `ArrayOf${name}`) {
    return malformed(`The root element must be ${name} or ArrayOf${name}`, root)
  }
  const routes = root.children.filter((child) => child.name === name)
  const [route] = routes
  if (route === undefined || routes.length > 1) return notOne(routes.length, root)
  return xmlFields(route, shape, ['routeID'])
}

function notOne(count: number, place: { readonly line: number; readonly column: number }) {
  return malformed(`The body has to hold exactly one route; it holds ${count === 0 ? 'none' : count}`, place)
}
