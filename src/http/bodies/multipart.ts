// Reads the files of a multipart/form-data body one after the other, each bounded; whatever else is in it is read past.
import { setImmediate } from 'node:timers/promises'
import { Busboy, type BusboyConfig, type BusboyInstance } from '@fastify/busboy'
import type { FastifyRequest } from 'fastify'
import { refuse, type Refusal } from '../../errors.ts'
import { bodyOf, declaredType } from '../codec.ts'
import { gatherBytes, type GatheredBytes } from './gathered-bytes.ts'

export interface SentFile {
  /** As the client calls it, without folders; empty where it does not say. */
  readonly name: string
  /** As far as it was read. */
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

const maxHeadersOfPart = 20
const maxFields = 50
const maxFieldBytes = 16 * 1024

/** Of a body that ends early, or is no multipart body. */
export const unreadable = (cause: unknown): Refusal =>
  refuse('malformed-body', {
    detail: 'The body is not multipart/form-data with this boundary, or it is incomplete.',
    cause,
  })

export type FormParser = BusboyInstance

/** @throws refusal `unsupported-media-type` where the Content-Type names no boundary. */
export function parserWith(
  contentType: string,
  { limits, ...options }: Omit<BusboyConfig, 'headers'>,
): FormParser {
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

function parserFor(contentType: string, { maxFileBytes, maxFiles }: MultipartLimits): FormParser {
  return parserWith(contentType, {
    limits: {
      files: maxFiles,
      fileSize: maxFileBytes,
      fields: maxFields,
      fieldSize: maxFieldBytes,
      parts: maxFiles + maxFields,
    },
  })
}

/** @returns the Content-Type. @throws refusal `unsupported-media-type` for anything but a form with files. */
export function requireMultipart(request: FastifyRequest): string {
  const { essence } = declaredType(request)
  if (essence === 'multipart/form-data') return request.headers['content-type'] ?? ''
  throw refuse('unsupported-media-type', { detail: 'Files must be sent as multipart/form-data.' })
}

/**
 * Judged before the body is read, and read as the files are asked for: those before a fault are given all the same.
 * @throws refusals `unsupported-media-type`, `body-too-large`; from the generator also `malformed-body` and `invalid-field`.
 */
export function filesOf(request: FastifyRequest, limits: MultipartLimits): AsyncGenerator<SentFile, void> {
  const contentType = requireMultipart(request)
  const { 'content-length': length } = request.headers
  const tooLarge = () =>
    refuse('body-too-large', { detail: `The body may be at most ${limits.maxBytes} bytes.` })
  if (Number(length ?? 0) > limits.maxBytes) throw tooLarge()
  const mayComeBytes = Math.min(Number(length ?? limits.maxBytes), limits.maxFileBytes)
  const { largeBodies } = request.server
  const admit = (comeBytes: number): Promise<void> => largeBodies.admit(request, comeBytes, mayComeBytes)
  return reading(parserFor(contentType, limits), bodyOf(request), { limits, tooLarge, admit })
}

interface ReadingOptions {
  readonly limits: MultipartLimits
  readonly tooLarge: () => Refusal
  /** Waits until so much of the body may be held. */
  readonly admit: (comeBytes: number) => Promise<void>
}

async function* reading(
  parser: FormParser,
  body: AsyncIterable<Uint8Array>,
  { limits, tooLarge, admit }: ReadingOptions,
): AsyncGenerator<SentFile, void> {
  const ready: WholeFile[] = []
  let failure: Refusal | undefined
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const fail = (refusal: Refusal): void => {
    failure ??= refusal
    end()
  }
  let isBroken = false
  const breakOff = (error: unknown): void => {
    isBroken = true
    fail(unreadable(error))
  }
  parser.on('finish', () => end())
  parser.on('error', breakOff)
  parser.on('filesLimit', () =>
    fail(refuse('invalid-field', { detail: `A request may contain at most ${limits.maxFiles} files.` })),
  )
  parser.on('partsLimit', () =>
    fail(
      refuse('invalid-field', {
        detail: `A request may contain at most ${maxFields} fields besides the files.`,
      }),
    ),
  )
  parser.on('file', (_field, stream, name) => {
    const content = gatherBytes()
    stream.on('data', (piece: Buffer) => content.add(piece))
    stream.on('error', breakOff)
    stream.on('end', () => {
      // The parser ends the last file of a body that breaks off as it ends any other.
      if (isBroken) return
      ready.push({ name: name ?? '', content, isTooLong: stream.truncated })
    })
  })

  /** @throws the failure, once what was whole before it is given. */
  async function* given(): AsyncGenerator<SentFile, void> {
    if (failure) await setImmediate() // streams tell that they ended some ticks after the parser went on
    for (const { content, ...file } of ready.splice(0)) yield { ...file, bytes: await content.join() }
    if (failure) throw failure
  }

  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    await admit(bytes)
    if (bytes > limits.maxBytes) fail(tooLarge())
    // What ends the parser calls nobody back.
    else await Promise.race([new Promise<void>((resolve) => parser.write(piece, () => resolve())), ended])
    yield* given()
  }
  await setImmediate() // so that no whole file ends after the parser has found the body broken
  parser.end()
  await ended
  yield* given()
}
