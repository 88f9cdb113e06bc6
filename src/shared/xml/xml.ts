// Classic XML: writes shapes, lists, longs and booleans, without declaration (as A4 shows) or namespace.
import { replaceForbidden } from '../text/characters.ts'
import type { Fields, ResourceOf, Shape } from '../classic/classic-shapes.ts'
import { maxSliceCharacters, slicesOf } from '../text/text-slices.ts'

/** One resource, its elements in alphabetical order. */
export function writeXml<F extends Fields>(shape: Shape<F>, value: ResourceOf<F>): string {
  let text = ''
  for (const chunk of xmlChunks(shape, value)) text += chunk
  return text
}

/** The same in pieces, as `jsonPieces` gives them. */
export function* xmlChunks<F extends Fields>(shape: Shape<F>, value: ResourceOf<F>): Generator<string, void> {
  const values: Readonly<Record<string, unknown>> = value
  let chunk = `<${shape.root}>`
  for (const { name, kind } of shape.xmlFields) {
    const text = kind.writeXml(values[name])
    if (text.length <= maxSliceCharacters) {
      chunk += writeElement(name, text)
      continue
    }
    yield `${chunk}<${name}>`
    for (const slice of slicesOf(text)) yield escapeText(slice)
    chunk = `</${name}>`
  }
  yield `${chunk}</${shape.root}>`
}

/** What stands around the resources of a list. */
export function xmlListFrame({ root }: Pick<Shape, 'root'>) {
  return { before: `<ArrayOf${root}>`, between: '', after: `</ArrayOf${root}>` } as const
}

export function writeXmlList<F extends Fields>(shape: Shape<F>, values: readonly ResourceOf<F>[]): string {
  const { before, between, after } = xmlListFrame(shape)
  return `${before}${values.map((value) => writeXml(shape, value)).join(between)}${after}`
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
export function escapeText(text: string): string {
  return replaceForbidden(text).replace(/[&<>\r]/g, (character) => escapes[character] ?? character)
}
