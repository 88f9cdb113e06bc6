// Reads a multipart/form-data body that holds one file, given on as it comes, and small fields before or after it.
import { setImmediate } from 'node:timers/promises'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { clip } from '../../shared/xml/xml-names.ts'
import { refuse, Refusal } from '../../errors.ts'
import { bodyOf } from '../codec.ts'
import { parserWith, requireMultipart, unreadable, type FormParser } from './multipart.ts'

export interface FormOptions {
  /** The name of the part that is the file; it must be there, and once. */
  readonly file: string
  /** The names of the other parts; each may be there, and once. */
  readonly fields: readonly string[]
  readonly maxFieldBytes: number
  /** Of the whole body. */
  readonly maxBytes: number
  /** Throws where the file is declared as what it may not be; undefined where it is not declared. */
  readonly judgeFile: (type: string | undefined) => void
}

export interface FormField {
  /** As declared, lower case, without parameters; undefined where it is not declared. */
  readonly type: string | undefined
  readonly bytes: Uint8Array
}

export interface StreamedForm {
  /**
   * The bytes of the file as they come. It ends with the body: what it throws is told of any part, and whoever keeps the
   * bytes may do so once it has ended.
   * @throws refusals `malformed-body`, `invalid-field`, `body-too-large`, and what `judgeFile` throws.
   */
  readonly file: AsyncGenerator<Uint8Array, void>
  /** Once `file` has ended; undefined where the body has no such part. */
  readonly field: (name: string) => FormField | undefined
}

/** What RFC 7578 says of a part that declares nothing, and so what the parser tells of one. */
const undeclared = 'text/plain'

interface Reading {
  readonly parser: FormParser
  readonly options: FormOptions
  readonly fields: Map<string, FormField>
}

/** @throws refusal `unsupported-media-type`, before anything of the body is read. */
export function openForm(request: FastifyRequest, options: FormOptions): StreamedForm {
  const maxParts = options.fields.length + 2 // one too many tells more than that there are too many
  const parser = parserWith(requireMultipart(request), {
    isPartAFile: () => true, // browsers give a field of a type of its own a file name
    limits: { parts: maxParts, files: maxParts },
  })
  const fields = new Map<string, FormField>()
  return {
    file: reading(bodyOf(request), { parser, options, fields }),
    field: (name) => fields.get(name),
  }
}

async function* reading(
  body: AsyncIterable<Uint8Array>,
  { parser, options, fields }: Reading,
): AsyncGenerator<Uint8Array, void> {
  const seen = new Set<string>()
  const ready: Uint8Array[] = []
  let failure: unknown
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const fail = (error: unknown): void => {
    failure ??= error
    end()
  }
  const wrong = (detail: string): Refusal => refuse('invalid-field', { detail })

  function takeField(name: string, type: string | undefined, stream: Readable): void {
    const pieces: Uint8Array[] = []
    let bytes = 0
    stream.on('data', (piece: Uint8Array) => {
      bytes += piece.length
      if (bytes <= options.maxFieldBytes) pieces.push(piece)
      else
        fail(
          refuse('body-too-large', {
            detail: `The part ${name} may be at most ${options.maxFieldBytes} bytes.`,
          }),
        )
    })
    stream.on('end', () => fields.set(name, { type, bytes: Uint8Array.from(Buffer.concat(pieces)) }))
  }

  function takePart(name: string | undefined, stream: Readable, declared: string): void {
    const type = declared === undeclared ? undefined : declared
    const known = [options.file, ...options.fields]
    if (name === undefined || !known.includes(name)) {
      const what = name === undefined ? 'A part without a name' : `The part ${clip(name)}`
      throw wrong(`${what} is unknown; the parts are ${known.join(' and ')}.`)
    }
    if (seen.has(name)) throw wrong(`Duplicate part: ${name}.`)
    seen.add(name)
    if (name !== options.file) return takeField(name, type, stream)
    options.judgeFile(type)
    stream.on('data', (piece: Uint8Array) => ready.push(piece))
  }

  parser.on('finish', () => end())
  parser.on('error', (error: unknown) => fail(unreadable(error)))
  parser.on('partsLimit', () => fail(wrong('The body has too many parts.')))
  parser.on('file', (name, stream, _fileName, _encoding, type) => {
    stream.on('error', (error) => fail(unreadable(error)))
    try {
      takePart(name, stream, type)
    } catch (error) {
      stream.resume()
      fail(error)
    }
  })

  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > options.maxBytes)
      throw refuse('body-too-large', { detail: `The body may be at most ${options.maxBytes} bytes.` })
    // What ends the parser calls nobody back.
    await Promise.race([new Promise<void>((resolve) => parser.write(piece, () => resolve())), ended])
    if (failure !== undefined) throw failure
    yield* ready.splice(0)
  }
  await setImmediate() // as in multipart.ts: the last part must not end after the parser has found the body broken
  parser.end()
  await ended
  if (failure !== undefined) throw failure
  if (!seen.has(options.file)) throw wrong(`The part ${options.file} is missing.`)
  yield* ready.splice(0)
}
