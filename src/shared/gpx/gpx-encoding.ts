// Decodes the bytes of a GPX file: devices write UTF-8, UTF-16 and older national encodings, and the file declares
// which.
import { atOnce } from '../yielding.ts'
import { invalidField, taken } from '../classic/reading.ts'
import type { Reading } from '../classic/reading.ts'

const marks: readonly (readonly [label: string, mark: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

const encoding = /\sencoding *= *["']([\w.:-]+)["']/

/**
 * By the byte-order mark, otherwise the declaration, otherwise UTF-8. Files may use any encoding of the WHATWG list;
 * a string in a request body is already text.
 */
export function decodeGpx(bytes: Uint8Array): Reading<string> {
  return atOnce(decodingGpx(bytes))
}

/** About 5 ms for the slowest encodings. */
const stepBytes = 512 * 1024

/**
 * For a file that begins with these bytes (the first 256, or all): a label for TextDecoder, which may not know it.
 */
export function encodingOf(bytes: Uint8Array): string {
  const marked = marks.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))
  // The XML declaration is ASCII in every encoding that needs one.
  const start = String.fromCharCode(...bytes.subarray(0, 256))
  const declaration = start.startsWith('<?xml') ? start.slice(0, start.indexOf('?>')) : ''
  const declared = encoding.exec(declaration)?.[1] ?? 'utf-8'
  // A UTF-16 declaration that is readable byte by byte must be wrong: .NET writes it into text that is saved as
  // UTF-8.
  return marked?.[0] ?? (/^utf-?16/i.test(declared) ? 'utf-8' : declared)
}

/** The same for a file of any length, in steps of a few milliseconds. */
export function* decodingGpx(bytes: Uint8Array): Generator<undefined, Reading<string>> {
  const label = encodingOf(bytes)
  let decoder: TextDecoder
  try {
    decoder = new TextDecoder(label, { fatal: true })
  } catch {
    return invalidField(`The file declares the encoding ${label}, which is not supported.`)
  }
  try {
    let text = ''
    for (let from = 0; from < bytes.length; from += stepBytes) {
      text += decoder.decode(bytes.subarray(from, from + stepBytes), { stream: true })
      yield
    }
    return taken(text + decoder.decode())
  } catch {
    return invalidField(`The file is not a GPX file: it is not valid ${decoder.encoding.toUpperCase()} text.`)
  }
}
