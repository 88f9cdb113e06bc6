// Reads the body of a PUT of image details: the changes (C20, C21) and the ids it contains.
import { trailImageDetails } from './classic-shapes.ts'
import { readJson } from '../json/json.ts'
import type { BodyFormat } from './media-types.ts'
import { invalidField, malformed, taken, unsupportedMediaType } from './reading.ts'
import type { Fault, Reading } from './reading.ts'
import { jsonFields, readMention, readWritable, xmlFields } from './sent-fields.ts'
import type { SentUnder } from './sent-fields.ts'
import { isUtf8Charset } from '../text/text-encoding.ts'
import { readXml } from '../xml/xml-reader.ts'

export interface Position {
  /** Decimal text with the digits that were sent. */
  readonly lat: string
  readonly lon: string
}

/** The changes of a PUT; undefined leaves a value as it is. */
export interface DetailsChange {
  readonly title: string | undefined
  readonly caption: string | undefined
  readonly position: Position | undefined
  /** The ids in the body; undefined for none, 0 and blank; NaN, which equals no id, for anything that is not an id. */
  readonly imageID: number | undefined
  readonly trailID: number | undefined
}

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

/** The error for a body that names another image or trail than its path (C20). */
export function findContradiction(
  change: Pick<DetailsChange, 'imageID' | 'trailID'>,
  path: { readonly imageID: number; readonly trailID: number },
): Fault | undefined {
  const names = ['imageID', 'trailID'] as const
  const name = names.find((name) => change[name] !== undefined && change[name] !== path[name])
  if (name === undefined) return undefined
  return {
    code: 'invalid-field',
    detail: `${name} must match the ${name} in the path, ${path[name]}, or be omitted.`,
  }
}

/**
 * C21. Neither a blank nor a typed client's zero deletes a position: two axes that are each blank or zero keep what is
 * stored. One axis alone is an error; one axis 0 beside another that is not is a place on the equator or the prime
 * meridian.
 */
function readPosition(lat: string | undefined, lon: string | undefined): Reading<Position | undefined> {
  if (isBlankOrZero(lat) && isBlankOrZero(lon)) return taken(undefined)
  if (lat === undefined || lon === undefined) {
    const [blank, other] = lat === undefined ? ['lat', 'lon'] : ['lon', 'lat']
    return invalidField(`${blank} is blank but ${other} is not: send both, or neither to keep the position.`)
  }
  return taken({ lat, lon })
}

function isBlankOrZero(axis: string | undefined): boolean {
  return axis === undefined || !/[1-9]/.test(axis)
}

function readJsonBody(bytes: Uint8Array, charset: string | undefined): Reading<SentUnder> {
  if (!isUtf8Charset(charset)) {
    return unsupportedMediaType('JSON must be UTF-8, but the Content-Type has another charset.')
  }
  const json = readJson(bytes)
  return json.ok ? jsonFields(json.value, 'The body') : json
}

function readXmlBody(bytes: Uint8Array, charset: string | undefined): Reading<SentUnder> {
  const xml = readXml(bytes, charset)
  if (!xml.ok) return xml
  const { root } = trailImageDetails
  if (xml.value.name !== root) return malformed(`The root element must be ${root}`, xml.value)
  return xmlFields(xml.value, trailImageDetails, ['imageID', 'trailID'])
}
