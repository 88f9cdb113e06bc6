// What a classic body sent under each name, and the fields read from that: the same for JSON and XML, images and routes.
import type { Fields, Shape, WritableOf } from './classic-shapes.ts'
import { id } from './kinds.ts'
import { malformed, taken } from './reading.ts'
import type { Reading } from './reading.ts'
import type { XmlElement } from '../xml/xml-reader.ts'

/** The value sent under a name: undefined if none was, null if null was. */
export type SentUnder = (name: string) => unknown

/** `what` names the resource in a sentence. If a name is repeated, the last one counts, as with JSON.parse. */
export function jsonFields(value: unknown, what: string): Reading<SentUnder> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return malformed(`${what} must be a single JSON object`, { line: 1, column: 1 })
  }
  // Own members only: no name reaches what every object inherits.
  const members = new Map<string, unknown>(Object.entries(value))
  return taken((name) => members.get(name))
}

/**
 * Only fields that are read must be unique: every other element is ignored, however often it occurs (C20).
 * @param mentions the ids that are read besides the writable fields.
 */
export function xmlFields(
  parent: XmlElement,
  { writableFields }: Shape,
  mentions: readonly string[],
): Reading<SentUnder> {
  const names = new Set([...mentions, ...writableFields.map((field) => field.name)])
  const sent = new Map<string, unknown>()
  for (const element of parent.children) {
    if (!names.has(element.name)) continue
    if (sent.has(element.name)) return malformed(`Duplicate element ${element.name}`, element)
    const content = element.children.length === 0 ? element.text : element.children
    sent.set(element.name, element.nil ? null : content)
  }
  return taken((name) => sent.get(name))
}

/** Reads the writable fields of a shape, each by its kind; absent and null say nothing. */
export function readWritable<F extends Fields>(
  shape: Shape<F>,
  sentUnder: SentUnder,
): Reading<WritableOf<F>> {
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
 * The id in a body; undefined for none, 0 and blank; NaN, which equals no id, for anything that is not an id. The
 * caller compares it with the path.
 */
export function readMention(name: string, sentUnder: SentUnder): number | undefined {
  const sent = sentUnder(name) ?? ''
  const reading = id.read(sent, name)
  if (!reading.ok) return Number.NaN
  return reading.value === 0 ? undefined : reading.value
}
