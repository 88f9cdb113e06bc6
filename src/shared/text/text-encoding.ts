// Bytes to text: the encoding of an XML body, and strict decoding that names the first invalid byte.
import { atOnce } from '../yielding.ts'
import { textOfChunks, type LongText } from './long-text.ts'
import { malformed, placing, taken, unsupportedMediaType } from '../classic/reading.ts'
import type { Reading } from '../classic/reading.ts'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

const utf8Names: ReadonlySet<string> = new Set(['utf-8', 'utf8'])

/** Whether a charset parameter, as sent, leaves the body in UTF-8; none and an empty one do. */
export function isUtf8Charset(charset: string | undefined): boolean {
  return charset === undefined || charset === '' || utf8Names.has(charset.toLowerCase())
}

const byteOrderMarks: Readonly<Record<Encoding, readonly number[]>> = {
  'utf-8': [0xef, 0xbb, 0xbf],
  'utf-16le': [0xff, 0xfe],
  'utf-16be': [0xfe, 0xff],
}

/**
 * The encoding of an XML body: the charset of the Content-Type decides, else the byte-order mark, else the
 * declaration, else UTF-8 (C8). Whoever speaks first is right: a declaration that says utf-16 in a body sent
 * as UTF-8 (text written by a program to a string first) is overlooked, and an encoding other than UTF-8 and
 * UTF-16 counts only where it decides.
 */
export function detectXmlEncoding(bytes: Uint8Array, charset: string | undefined): Reading<Encoding> {
  const name = charset?.toLowerCase() ?? ''
  if (name === 'utf-16le' || name === 'utf-16be') return taken(name)
  // RFC 2781: UTF-16 that nothing tells apart is big-endian.
  if (name === 'utf-16') return taken(encodingByStart(bytes) ?? 'utf-16be')
  if (!isUtf8Charset(name)) {
    return unsupportedMediaType('XML must be UTF-8 or UTF-16, but the Content-Type has another charset.')
  }
  if (name !== '') return taken('utf-8')

  const seen = encodingByStart(bytes)
  if (seen !== undefined) return taken(seen)
  const declared = declaredEncoding(bytes)
  if (declared === undefined || utf8Names.has(declared)) return taken('utf-8')
  if (declared.startsWith('utf-16')) {
    return malformed('The XML declaration says UTF-16, but the bytes are not UTF-16', { line: 1, column: 1 })
  }
  return unsupportedMediaType('XML must be UTF-8 or UTF-16, but the XML declaration has another encoding.')
}

/** The encoding that the first bytes of a text show, if they show any. */
export function encodingByStart(bytes: Uint8Array): Encoding | undefined {
  return markedEncoding(bytes) ?? startEncoding(bytes)
}

function markedEncoding(bytes: Uint8Array): Encoding | undefined {
  const encodings: readonly Encoding[] = ['utf-8', 'utf-16le', 'utf-16be']
  return encodings.find((encoding) => startsWith(bytes, byteOrderMarks[encoding]))
}

/**
 * Without a mark, `<` and its zero byte tell (XML 1.0, appendix F): no document in UTF-8 holds a zero byte.
 */
function startEncoding(bytes: Uint8Array): Encoding | undefined {
  if (startsWith(bytes, [0x3c, 0x00])) return 'utf-16le'
  return startsWith(bytes, [0x00, 0x3c]) ? 'utf-16be' : undefined
}

const declaration = /^<\?xml\s+version\s*=\s*["'][\w.]+["']\s+encoding\s*=\s*["']([\w.-]+)["']/

/**
 * The encoding named in the declaration, in lower case. The declaration is ASCII, so its bytes are its
 * characters.
 */
function declaredEncoding(bytes: Uint8Array): string | undefined {
  return declaration.exec(String.fromCharCode(...bytes.subarray(0, 256)))?.[1]?.toLowerCase()
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte)
}

/** Decodes strictly: one invalid byte refuses the body. One byte-order mark of the encoding is overlooked. */
export function decodeText(bytes: Uint8Array, encoding: Encoding): Reading<string> {
  return atOnce(decodingText(bytes, encoding))
}

/** Some 1 ms of decoding, of the dearest text. */
const stepBytes = 512 * 1024

/** The same for a body of up to 24 MiB, in steps of a millisecond or so; its text is put together when it is looked at. */
export function* decodingText(
  bytes: Uint8Array,
  encoding: Encoding,
  maxBytes: number = stepBytes,
): Generator<undefined, Reading<string>> {
  const chunks = yield* decodingChunks(bytes, encoding, maxBytes)
  return chunks.ok ? taken(chunks.value.reduce((text, chunk) => text + chunk, '')) : chunks
}

/** The same for a body of any length, whose text is never put together. */
export function* decodingLongText(
  bytes: Uint8Array,
  encoding: Encoding,
): Generator<undefined, Reading<LongText>> {
  const chunks = yield* decodingChunks(bytes, encoding, stepBytes)
  return chunks.ok ? taken(textOfChunks(chunks.value)) : chunks
}

function* decodingChunks(
  bytes: Uint8Array,
  encoding: Encoding,
  maxBytes: number,
): Generator<undefined, Reading<string[]>> {
  const mark = byteOrderMarks[encoding]
  const content = startsWith(bytes, mark) ? bytes.subarray(mark.length) : bytes
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
  const chunks: string[] = []
  let from = 0
  do {
    const end =
      from + maxBytes < content.length ? characterEnd(content, from + maxBytes, encoding) : undefined
    const chunk = content.subarray(from, end)
    try {
      chunks.push(decoder.decode(chunk))
    } catch {
      const lossy = new TextDecoder(encoding, { ignoreBOM: true }).decode(chunk)
      const { length } = textOfChunks(chunks)
      const wrong = length + firstInvalid(lossy, chunk, encoding)
      const place = yield* placing(textOfChunks([...chunks, lossy]), wrong)
      return malformed(`The bytes are not valid ${encoding.toUpperCase()}`, place)
    }
    yield
    from = end ?? content.length
  } while (from < content.length)
  return taken(chunks)
}

/** Where a character ends at `index` or a few bytes before it. */
function characterEnd(bytes: Uint8Array, index: number, encoding: Encoding): number {
  if (encoding === 'utf-8') {
    const end = [index, index - 1, index - 2, index - 3].find((at) => ((bytes[at] ?? 0) & 0xc0) !== 0x80)
    // Four bytes in a row that only continue: no character is so long, so that none is cut.
    return end ?? index
  }
  const even = index - (index % 2)
  const highByte = bytes[even - (encoding === 'utf-16le' ? 1 : 2)] ?? 0
  return highByte >= 0xd8 && highByte <= 0xdb ? even - 2 : even
}

const replacements: Readonly<Record<Encoding, readonly number[]>> = {
  'utf-8': [0xef, 0xbf, 0xbd],
  'utf-16le': [0xfd, 0xff],
  'utf-16be': [0xff, 0xfd],
}

/** The index of the first U+FFFD in the lossily decoded text that the bytes do not themselves hold. */
function firstInvalid(lossy: string, bytes: Uint8Array, encoding: Encoding): number {
  let index = 0
  let offset = 0
  for (const character of lossy) {
    const isReplaced = character === '\u{fffd}'
    if (isReplaced && !startsWith(bytes.subarray(offset, offset + 3), replacements[encoding])) return index
    index += character.length
    offset += encoding === 'utf-8' ? utf8Length(character) : 2 * character.length
  }
  return index
}

function utf8Length(character: string): number {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code < 0x10000 ? 3 : 4
}
