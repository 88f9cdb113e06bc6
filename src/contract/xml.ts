// Classic XML: writes shapes, lists, longs and booleans, without declaration (as A4 shows) or namespace.
import { replaceForbidden } from './characters.ts'
import type { Fields, ResourceOf, Shape } from './classic-shapes.ts'

/** One resource, its elements in alphabetical order. */
export function writeXml<F extends Fields>(shape: Shape<F>, value: ResourceOf<F>): string {
  const values: Readonly<Record<string, unknown>> = value
  const children = shape.xmlFields.map(({ name, kind }) => writeElement(name, kind.writeXml(values[name])))
  return `<${shape.root}>${children.join('')}</${shape.root}>`
}

export function writeXmlList<F extends Fields>(shape: Shape<F>, values: readonly ResourceOf<F>[]): string {
  const root = `ArrayOf${shape.root}`
  return `<${root}>${values.map((value) => writeXml(shape, value)).join('')}</${root}>`
}

/** The answer to a POST: the new id. */
export function writeXmlLong(value: number): string {
  return writeElement('long', String(value))
}

/** The answer to a PUT or DELETE. */
export function writeXmlBoolean(value: boolean): string {
  return writeElement('boolean', String(value))
}

/**
 * A lone space is marked, because many XML readers drop an element's text when it is nothing but space (C8).
 */
function writeElement(name: string, text: string): string {
  const attribute = text === ' ' ? ' xml:space="preserve"' : ''
  return `<${name}${attribute}>${escapeText(text)}</${name}>`
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' }

/**
 * Quotes need no escape outside attributes. A bare CR would be read as LF, so it goes as a reference (C8).
 */
function escapeText(text: string): string {
  return replaceForbidden(text).replace(/[&<>\r]/g, (character) => escapes[character] ?? character)
}
