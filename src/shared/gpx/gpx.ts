// Parses a GPX document, strictly as XML and leniently as GPX: errors with line and element, warnings for the rest.
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
  /** Length of the document in UTF-8. */
  readonly maxBytes: number
}

/** The limits for a gpx (C33). */
export const gpxLimits: GpxLimits = { maxBytes: 8 * 1024 ** 2 }

/** About 2 ms of parsing, so that each step stays short. */
const chunkCharacters = 16 * 1024
/** Ten times what any device writes; a million attributes in one tag would block other requests. */
const maxAttributes = 256

/**
 * Parses a document that arrives in chunks of any size, and yields to other work every few milliseconds. The chunks
 * are text, so a declared encoding is ignored. Throws only what the chunks themselves throw.
 */
export async function readGpx(
  chunks: Iterable<string> | AsyncIterable<string>,
  limits: GpxLimits = gpxLimits,
): Promise<GpxReading> {
  const reader = createReader(limits)
  for await (const chunk of chunks) {
    await runYielding(writing(reader, chunk))
    // Stop reading the input.
    if (reader.hasFailed()) return reader.end()
  }
  return reader.end()
}

/** Parses a whole document at once: 60 to 150 ms per MiB, so a server should read long ones with `readGpx`. */
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
  /** The line of its start tag. */
  readonly line: number
}

function createReader(limits: GpxLimits): Reader {
  // XML 1.1 would allow control characters that the rest of the contract does not accept.
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
  /** The last element that saxes closed: only then does it report a wrong end tag. */
  let closed: OpenElement | undefined
  let opening: OpenElement | undefined
  let attributeCount = 0
  /** Whether the open tag declares or uses a prefix in its attributes. */
  let hasNamespaces = false
  let bytes = 0
  let isStart = true
  /** Characters collected by saxes: since a start tag began, or of text that is needed. */
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

  // At most seven handlers: with an eighth, V8 stores the parser as a dictionary, and everything takes eight times as
  // long.
  parser.on('error', ({ message }) => {
    const problem = `Not XML: ${clip(message.replace(/\.$/, ''))}`
    if (!message.startsWith('unexpected close tag')) return stop(problem)
    return stopAt(problem, parser.line, closed?.name)
  })
  parser.on('opentagstart', ({ name }) => {
    // If the name is followed by a line break, the parser has already passed it.
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
  // saxes collects text only if there is a handler.
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
  /** The only way to stop saxes is an exception; it is caught here. */
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

/** Bytes in UTF-8; a lone surrogate, which the parser refuses, counts as two. */
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
