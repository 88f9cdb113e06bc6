// Parses a multipart/form-data body as it arrives, within limits: all its files in sequence, or one file and small
// fields.
import { setImmediate } from 'node:timers/promises'
import { Busboy, type BusboyConfig, type BusboyInstance } from '@fastify/busboy'
import type { FastifyRequest } from 'fastify'
import { refuse, type Refusal } from '../../errors.ts'
import { clip } from '../../shared/xml/xml-names.ts'
import { bodyOf, declaredType } from '../codec.ts'
import { gatherBytes, type GatheredBytes } from './gathered-bytes.ts'

const maxHeadersOfPart = 20
const maxFields = 50
const maxFieldBytes = 16 * 1024

/** The default type according to RFC 7578, which the parser reports for parts without one. */
const undeclared = 'text/plain'

interface Part {
  readonly name: string | undefined
  /** As named by the client, without folders; empty if it has no name. */
  readonly fileName: string
  /** As declared, lower case, without parameters; undefined if not declared. */
  readonly type: string | undefined
}

/** Both may throw a refusal. */
interface Taker {
  readonly onChunk: (chunk: Uint8Array) => void
  /** Only of a part that is whole, or was cut at `fileSize`. */
  readonly onEnd?: (isCut: boolean) => void
}

interface ReadingOptions<Item> {
  /** Of the whole body. */
  readonly maxBytes: number
  /** Waits until this much of the body may be in memory. */
  readonly admit?: (comeBytes: number) => Promise<void>
  readonly tooMany: { readonly files?: string; readonly parts: string }
  /** What becomes of a part that is a file to the parser. @throws a refusal. */
  readonly take: (part: Part) => Taker
  /** Its output after each chunk of the body; unchanged if the body is refused. */
  readonly ready: Item[]
}

const wrong = (detail: string): Refusal => refuse('invalid-field', { detail })
const tooLarge = (what: string, maxBytes: number): Refusal =>
  refuse('body-too-large', { detail: `${what} may be at most ${maxBytes} bytes.` })

/** @returns the Content-Type. @throws refusal `unsupported-media-type` for anything but a form with files. */
function requireMultipart(request: FastifyRequest): string {
  const { essence } = declaredType(request)
  if (essence === 'multipart/form-data') return request.headers['content-type'] ?? ''
  throw refuse('unsupported-media-type', { detail: 'Files must be sent as multipart/form-data.' })
}

/** @throws refusal `unsupported-media-type` if the Content-Type has no boundary. */
function parserFor(contentType: string, { limits, ...options }: Omit<BusboyConfig, 'headers'>) {
  try {
    const headers = { 'content-type': contentType }
    return new Busboy({ headers, ...options, limits: { headerPairs: maxHeadersOfPart, ...limits } })
  } catch (error) {
    throw refuse('unsupported-media-type', {
      detail: 'The Content-Type of a multipart/form-data body must have a boundary of at most 70 characters.',
      cause: error,
    })
  }
}

/** @throws refusals `body-too-large`, `malformed-body`, `invalid-field`, and what `take` and its takers throw. */
async function* reading<Item>(
  parser: BusboyInstance,
  body: AsyncIterable<Uint8Array>,
  { maxBytes, admit, tooMany, take, ready }: ReadingOptions<Item>,
): AsyncGenerator<Item, void> {
  let failure: unknown
  let isBroken = false
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const fail = (error: unknown): void => {
    failure ??= error
    end()
  }
  const breakOff = (cause: unknown): void => {
    isBroken = true
    const detail = 'The body is not multipart/form-data with this boundary, or it is incomplete.'
    fail(refuse('malformed-body', { detail, cause }))
  }
  const attempt = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      fail(error)
    }
  }
  parser.on('finish', end)
  parser.on('error', breakOff)
  const { files: tooManyFiles } = tooMany
  if (tooManyFiles !== undefined) parser.on('filesLimit', () => fail(wrong(tooManyFiles)))
  parser.on('partsLimit', () => fail(wrong(tooMany.parts)))
  parser.on('file', (name: string | undefined, stream, fileName: string | undefined, _encoding, type) => {
    stream.on('error', breakOff)
    attempt(() => {
      stream.resume() // also if it is not consumed
      const part = { name, fileName: fileName ?? '', type: type === undeclared ? undefined : type }
      const { onChunk, onEnd } = take(part)
      stream.on('data', (chunk: Uint8Array) => attempt(() => onChunk(chunk)))
      // The parser ends the last part of a body that breaks off as it ends any other.
      stream.on('end', () => attempt(() => (isBroken ? undefined : onEnd?.(stream.truncated))))
    })
  })

  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    await admit?.(bytes)
    if (bytes > maxBytes) throw tooLarge('The body', maxBytes)
    // An error that ends the parser calls no callback.
    await Promise.race([new Promise<void>((resolve) => parser.write(chunk, () => resolve())), ended])
    if (failure !== undefined) throw failure
    yield* ready.splice(0)
  }
  await setImmediate() // so that no whole part ends after the parser has found the body broken
  parser.end()
  await ended
  if (failure !== undefined) throw failure
  yield* ready.splice(0)
}

export interface SentFile {
  /** As named by the client, without folders; empty if it has no name. */
  readonly name: string
  /** As far as it was parsed. */
  readonly bytes: Uint8Array
  /** Longer than a file may be: the rest was dropped. */
  readonly isTooLong: boolean
}

interface WholeFile extends Omit<SentFile, 'bytes'> {
  readonly content: GatheredBytes
}

export interface MultipartLimits {
  /** Of the whole body. */
  readonly maxBytes: number
  readonly maxFileBytes: number
  readonly maxFiles: number
}

/**
 * All files of a body, whatever their parts are called; other parts are skipped. The headers are checked before the
 * body is read, and files are parsed as they are requested: those before an error are returned.
 * @throws refusals `unsupported-media-type`, `body-too-large`; from the generator also `malformed-body` and
 * `invalid-field`.
 */
export function filesOf(request: FastifyRequest, limits: MultipartLimits): AsyncGenerator<SentFile, void> {
  const { maxBytes, maxFileBytes, maxFiles } = limits
  const contentType = requireMultipart(request)
  const { 'content-length': length } = request.headers
  if (Number(length ?? 0) > maxBytes) throw tooLarge('The body', maxBytes)
  const parser = parserFor(contentType, {
    limits: {
      files: maxFiles,
      fileSize: maxFileBytes,
      fields: maxFields,
      fieldSize: maxFieldBytes,
      parts: maxFiles + maxFields,
    },
  })
  const mayComeBytes = Math.min(Number(length ?? maxBytes), maxFileBytes)
  const { largeBodies } = request.server
  const ready: WholeFile[] = []
  const files = reading(parser, bodyOf(request), {
    maxBytes,
    admit: (comeBytes) => largeBodies.admit(request, comeBytes, mayComeBytes),
    tooMany: {
      files: `A request may contain at most ${maxFiles} files.`,
      parts: `A request may contain at most ${maxFields} fields besides the files.`,
    },
    take: ({ fileName }) => {
      const content = gatherBytes()
      return {
        onChunk: content.add,
        onEnd: (isTooLong) => ready.push({ name: fileName, content, isTooLong }),
      }
    },
    ready,
  })
  return joined(files, ready)
}

async function* joined(files: AsyncIterable<WholeFile>, left: WholeFile[]): AsyncGenerator<SentFile, void> {
  const join = async ({ content, ...file }: WholeFile) => ({ ...file, bytes: await content.join() })
  try {
    for await (const file of files) yield await join(file)
  } catch (error) {
    await setImmediate() // streams emit their end some ticks after the parser continues
    for (const file of left) yield await join(file)
    throw error
  }
}

export interface FormOptions {
  /** The name of the part that is the file; it must be there, and once. */
  readonly file: string
  /** The names of the other parts; each may be there, and once. */
  readonly fields: readonly string[]
  readonly maxFieldBytes: number
  /** Of the whole body. */
  readonly maxBytes: number
  /** Throws if the file is declared as a type that is not allowed; gets undefined if none is declared. */
  readonly checkFile: (type: string | undefined) => void
}

export interface FormField {
  /** As declared, lower case, without parameters; undefined if not declared. */
  readonly type: string | undefined
  readonly bytes: Uint8Array
}

export interface StreamedForm {
  /**
   * The bytes of the file as they arrive. It ends with the body: it throws errors of any part, so store the bytes only
   * once it has ended.
   * @throws refusals `malformed-body`, `invalid-field`, `body-too-large`, and what `checkFile` throws.
   */
  readonly file: AsyncGenerator<Uint8Array, void>
  /** Available once `file` has ended; undefined if the body has no such part. */
  readonly field: (name: string) => FormField | undefined
}

/** @throws refusal `unsupported-media-type`, before anything of the body is read. */
export function openForm(request: FastifyRequest, options: FormOptions): StreamedForm {
  const known = [options.file, ...options.fields]
  const maxParts = known.length + 1 // the first one too many is a better error than a parser limit
  const seen = new Set<string>()
  const fields = new Map<string, FormField>()
  const ready: Uint8Array[] = []

  function takeField(name: string, type: string | undefined): Taker {
    const chunks: Uint8Array[] = []
    let bytes = 0
    return {
      onChunk: (chunk) => {
        bytes += chunk.length
        if (bytes > options.maxFieldBytes) throw tooLarge(`The part ${name}`, options.maxFieldBytes)
        chunks.push(chunk)
      },
      onEnd: () => fields.set(name, { type, bytes: Uint8Array.from(Buffer.concat(chunks)) }),
    }
  }

  function take({ name, type }: Part): Taker {
    if (name === undefined || !known.includes(name)) {
      const what = name === undefined ? 'A part without a name' : `The part ${clip(name)}`
      throw wrong(`${what} is unknown; the parts are ${known.join(' and ')}.`)
    }
    if (seen.has(name)) throw wrong(`Duplicate part: ${name}.`)
    seen.add(name)
    if (name !== options.file) return takeField(name, type)
    options.checkFile(type)
    return { onChunk: (chunk) => ready.push(chunk) }
  }

  const parser = parserFor(requireMultipart(request), {
    isPartAFile: () => true, // browsers give a field with its own type a file name
    limits: { parts: maxParts, files: maxParts },
  })
  const chunks = reading(parser, bodyOf(request), {
    maxBytes: options.maxBytes,
    tooMany: { parts: 'The body has too many parts.' },
    take,
    ready,
  })
  async function* whole(): AsyncGenerator<Uint8Array, void> {
    yield* chunks
    if (!seen.has(options.file)) throw wrong(`The part ${options.file} is missing.`)
  }
  return { file: whole(), field: (name) => fields.get(name) }
}
