// Reads the body of a PUT of image details: what it changes (C20, C21) and which ids it mentions.
import { trailImageDetails } from './classic-shapes.ts'
import type { Fields, Shape, WritableOf } from './classic-shapes.ts'
import { readJson } from './json.ts'
import { id } from './kinds.ts'
import type { BodyFormat } from './media-types.ts'
import { invalidField, malformed, taken, unsupportedMediaType } from './reading.ts'
import type { Fault, Reading } from './reading.ts'
import { isUtf8Charset } from './text-encoding.ts'
import { readXml } from './xml-reader.ts'

export interface Position {
  /** Decimal text with the digits that were sent. */
  readonly lat: string
  readonly lon: string
}

/** What a PUT asks for; undefined means: leave it as it is. */
export interface DetailsChange {
  readonly title: string | undefined
  readonly caption: string | undefined
  readonly position: Position | undefined
  /**
   * The ids the body mentions; undefined for none, 0 and blank; NaN, which equals no id, for what is no id at
   * all.
   */
  readonly imageID: number | undefined
  readonly trailID: number | undefined
}

/** What was sent under a name: undefined if nothing was, null if null was. */
type SentUnder = (name: string) => unknown

/** `charset` is the Content-Type's parameter. */
export function readDetails(
  format: BodyFormat,
  bytes: Uint8Array,
  charset: string | undefined,
): Reading<DetailsChange> {
  const body = format === 'json' ? readJsonBody(bytes, charset) : readXmlBody(bytes, charset)
  if (!body.ok) return body
  const sentUnder = body.value

  const written = readWritable(trailImageDetails, sentUnder)
  if (!written.ok) return written
  const { title, caption, lat, lon } = written.value
  const position = readPosition(lat, lon)
  if (!position.ok) return position

  return taken({
    title,
    caption,
    position: position.value,
    imageID: readMention('imageID', sentUnder),
    trailID: readMention('trailID', sentUnder),
  })
}

/** The fault of a body that names another image or trail than its path does (C20). */
export function findContradiction(
  change: DetailsChange,
  path: { readonly imageID: number; readonly trailID: number },
): Fault | undefined {
  const names = ['imageID', 'trailID'] as const
  const name = names.find((name) => change[name] !== undefined && change[name] !== path[name])
  if (name === undefined) return undefined
  return {
    code: 'invalid-field',
    detail: `${name} has to be that of the path, ${path[name]}, or be left out.`,
  }
}

function readJsonBody(bytes: Uint8Array, charset: string | undefined): Reading<SentUnder> {
  if (!isUtf8Charset(charset)) {
    return unsupportedMediaType('JSON is read in UTF-8; the Content-Type names another charset.')
  }
  const json = readJson(bytes)
  if (!json.ok) return json
  const { value } = json
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return malformed('The body has to be one JSON object', { line: 1, column: 1 })
  }
  // Own members only: no name reaches what every object inherits.
  const members = new Map<string, unknown>(Object.entries(value))
  return taken((name) => members.get(name))
}

function readXmlBody(bytes: Uint8Array, charset: string | undefined): Reading<SentUnder> {
  const xml = readXml(bytes, charset)
  if (!xml.ok) return xml
  const { root, writableFields } = trailImageDetails
  if (xml.value.name !== root) return malformed(`The root element has to be ${root}`, xml.value)

  // Only what is read has to be unambiguous: every other element is read past, however often it stands (C20).
  const names = new Set(['imageID', 'trailID', ...writableFields.map((field) => field.name)])
  const sent = new Map<string, unknown>()
  for (const element of xml.value.children) {
    if (!names.has(element.name)) continue
    if (sent.has(element.name)) return malformed(`The element ${element.name} stands twice`, element)
    const content = element.children.length === 0 ? element.text : element.children
    sent.set(element.name, element.nil ? null : content)
  }
  return taken((name) => sent.get(name))
}

/** Reads the writable fields of a shape, each by its kind; absent and null say nothing. */
function readWritable<F extends Fields>(shape: Shape<F>, sentUnder: SentUnder): Reading<WritableOf<F>> {
  const written: Record<string, unknown> = {}
  for (const { name, kind } of shape.writableFields) {
    const sent = sentUnder(name) ?? undefined
    const reading = sent === undefined ? taken(undefined) : kind.read(sent, name)
    if (!reading.ok) return reading
    written[name] = reading.value
  }
  return taken(written as WritableOf<F>)
}

/**
 * C21. Neither a blank nor a typed client's zero wipes a position: two axes that are each blank or zero keep
 * what is stored. One axis alone is a mistake; one axis 0 beside another that is not is a place on the
 * equator or at Greenwich.
 */
function readPosition(lat: string | undefined, lon: string | undefined): Reading<Position | undefined> {
  if (isBlankOrZero(lat) && isBlankOrZero(lon)) return taken(undefined)
  if (lat === undefined || lon === undefined) {
    const [blank, other] = lat === undefined ? ['lat', 'lon'] : ['lon', 'lat']
    return invalidField(
      `${blank} is blank while ${other} is not: send both, or neither to keep the position.`,
    )
  }
  return taken({ lat, lon })
}

function isBlankOrZero(axis: string | undefined): boolean {
  return axis === undefined || !/[1-9]/.test(axis)
}

/** Whatever stands there is not refused here: the path decides whether it contradicts. */
function readMention(name: string, sentUnder: SentUnder): number | undefined {
  const sent = sentUnder(name) ?? ''
  const reading = id.read(sent, name)
  if (!reading.ok) return Number.NaN
  return reading.value === 0 ? undefined : reading.value
}
