// Reads a GPX document strictly as XML and leniently as GPX: refusals by line and element, warnings for the rest.
import { SaxesParser } from 'saxes'
import { createGpxBuilder } from './gpx-builder.ts'
import type { GpxFault, GpxReading } from './gpx-document.ts'
import { createGpxNamespaces, prefixOf } from './gpx-namespaces.ts'
import { createGpxScanner, maxTokenCharacters } from './gpx-scan.ts'
import type { Scanned } from './gpx-scan.ts'
import { createGpxWarnings } from './gpx-warnings.ts'
import { atOnce, runYielding } from '../yielding.ts'
import { maxDepth } from '../classic/reading.ts'
import { clip } from '../xml/xml-names.ts'

export interface GpxLimits {
  /** Of the document in UTF-8. */
  readonly maxBytes: number
}

/** What a gpx may have (C33). */
export const gpxLimits: GpxLimits = { maxBytes: 8 * 1024 ** 2 }

/** Some 2 ms of parsing, so that a turn stays short. */
const chunkCharacters = 16 * 1024
/** Ten times what any device writes; a million of them in one tag would hold everybody up. */
const maxAttributes = 256

/**
 * Reads a document that arrives in pieces of any size, and lets everything else have its turn every few
 * milliseconds. The pieces are text, so that a declared encoding is not heard. Only what the pieces themselves
 * throw is thrown.
 */
export async function readGpx(
  chunks: Iterable<string> | AsyncIterable<string>,
  limits: GpxLimits = gpxLimits,
): Promise<GpxReading> {
  const reader = createReader(limits)
  for await (const chunk of chunks) {
    await runYielding(writing(reader, chunk))
    // The rest is not asked for.
    if (reader.hasFailed()) return reader.end()
  }
  return reader.end()
}

/** Reads a whole document at once: some 60 to 150 ms a MiB, so that a server reads a long one with `readGpx`. */
export function readGpxText(text: string, limits: GpxLimits = gpxLimits): GpxReading {
  const reader = createReader(limits)
  atOnce(writing(reader, text))
  return reader.end()
}

interface Reader {
  readonly write: (chunk: string) => void
  readonly hasFailed: () => boolean
  readonly end: () => GpxReading
}

function* writing(reader: Reader, chunk: string): Generator<undefined, void> {
  for (let index = 0; index < chunk.length && !reader.hasFailed(); index += chunkCharacters) {
    reader.write(chunk.slice(index, index + chunkCharacters))
    yield
  }
}

interface OpenElement {
  readonly name: string
  /** Where its start tag begins. */
  readonly line: number
}

function createReader(limits: GpxLimits): Reader {
  // XML 1.1 would let through control characters that no other part of the contract takes.
  const parser = new SaxesParser({
    xmlns: false,
    position: false,
    defaultXMLVersion: '1.0',
    forceXMLVersion: true,
  })
  const warnings = createGpxWarnings()
  const scanner = createGpxScanner()
  const namespaces = createGpxNamespaces()
  const builder = createGpxBuilder(warnings)
  const open: OpenElement[] = []
  /** What saxes closed last: it tells of a wrong end tag only then. */
  let closed: OpenElement | undefined
  let opening: OpenElement | undefined
  let attributeCount = 0
  /** Of the tag that is open: whether it declares or uses a prefix in its attributes. */
  let hasNamespaces = false
  let bytes = 0
  let isStart = true
  /** Characters since a start tag began, or text that is wanted; saxes collects them. */
  let collected = 0
  let fault: GpxFault | undefined

  const stopAt: (problem: string, line: number, element: string | undefined) => never = (
    problem,
    line,
    element,
  ) => {
    const where = element === undefined ? 'outside any element' : `element ${clip(element)}`
    const detail = `${problem} (gpx line ${line}, ${where}).`
    fault = { code: 'invalid-field', detail, line, element }
    throw new Error(problem)
  }
  const stop = (problem: string): never => stopAt(problem, parser.line, (opening ?? open.at(-1))?.name)

  // Seven handlers at most: with an eighth, V8 keeps the parser in a dictionary, and everything takes eight times
  // as long.
  parser.on('error', ({ message }) => {
    const problem = `Not XML: ${clip(message.replace(/\.$/, ''))}`
    if (!message.startsWith('unexpected close tag')) return stop(problem)
    return stopAt(problem, parser.line, closed?.name)
  })
  parser.on('opentagstart', ({ name }) => {
    // A name that ends at a line end has that behind it already.
    const line = parser.column === 0 ? parser.line - 1 : parser.line
    opening = { name, line }
    attributeCount = 0
    hasNamespaces = false
    collected = 0
    if (open.length === maxDepth) stop(`Nesting is deeper than ${maxDepth}`)
  })
  parser.on('attribute', ({ name }) => {
    attributeCount += 1
    hasNamespaces ||= name.startsWith('xmlns') || name.includes(':')
    if (attributeCount > maxAttributes) stop(`The element has more than ${maxAttributes} attributes`)
  })
  parser.on('opentag', ({ name, attributes }) => {
    const line = opening?.line ?? parser.line
    opening = undefined
    namespaces.enter(hasNamespaces ? attributes : noAttributes)
    const prefix = prefixOf(name)
    const namespace = namespaces.of(name)
    if (namespace === undefined) warnings.add('undeclared-prefix', line, clip(name))
    else if (hasNamespaces && namespaces.isAnyUndeclared(attributes)) {
      warnings.add('undeclared-prefix', line, clip(name))
    }
    open.push({ name, line })
    const local = prefix === '' ? name : name.slice(prefix.length + 1)
    const problem = builder.open({ name: local, namespace, attributes, line })
    if (problem !== undefined) stopAt(problem, line, name)
    listen()
  })
  parser.on('closetag', () => {
    closed = open.pop()
    namespaces.leave()
    builder.close()
    listen()
  })
  // What nobody listens to saxes does not collect.
  const listen = (): void => {
    collected = 0
    if (builder.wantsText()) {
      parser.on('text', builder.text)
      parser.on('cdata', builder.text)
    } else {
      parser.off('text')
      parser.off('cdata')
    }
  }

  const parse = ({ text, problem }: Scanned): void => {
    parser.write(text)
    if (problem !== undefined) stop(problem)
    if (opening === undefined && !builder.wantsText()) return
    collected += text.length
    if (collected > maxTokenCharacters) stop('A tag or a text is longer than 512 KiB')
  }
  /** saxes has no way to stop but an exception; it goes no further than this. */
  const guarded = (work: () => void): void => {
    if (fault !== undefined) return
    try {
      work()
    } catch (error) {
      if (fault === undefined) throw error
    }
  }

  return {
    write(chunk) {
      guarded(() => {
        if (isStart && chunk.startsWith('\u{feff}')) warnings.add('byte-order-mark', 1, 'gpx')
        isStart &&= chunk === ''
        bytes += utf8Length(chunk)
        if (bytes > limits.maxBytes) stop(`The document is longer than ${limits.maxBytes} bytes`)
        parse(scanner.take(chunk))
      })
    },
    hasFailed: () => fault !== undefined,
    end() {
      guarded(() => {
        parse(scanner.end())
        const { encoding } = parser.xmlDecl
        if (encoding !== undefined && !/^utf-?8$/i.test(encoding)) warnings.add('encoding-ignored', 1, 'xml')
        parser.close()
      })
      return fault === undefined ? { ok: true, value: builder.value() } : { ok: false, fault }
    },
  }
}

const noAttributes = {}
const notAscii = /[^\0-\x7f]/

/** Bytes in UTF-8; a surrogate that stands alone, which the parser refuses, counts as two. */
function utf8Length(text: string): number {
  let bytes = text.length
  if (!notAscii.test(text)) return bytes
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code < 0x80) continue
    bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2
  }
  return bytes
}
