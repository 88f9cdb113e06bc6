// Between HTTP and the contract's formats: what the client accepts, what it sent, and reading a body within limits.
import { isTypeValid, parse as parseContentType } from 'content-type'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import {
  bodyFormatOf,
  defaultFormType,
  formatByStart,
  type BodyFormat,
} from '../shared/classic/media-types.ts'
import { clip } from '../shared/xml/xml-names.ts'
import { refuse, type Refusal } from '../errors.ts'
import { gatherBytes } from './bodies/gathered-bytes.ts'
import { releaseMemory } from './bodies/release-memory.ts'

/** A classic answer format and the media type that names it in the answer. */
export interface AnswerFormat {
  readonly name: 'json' | 'xml'
  readonly mediaType: 'application/json' | 'application/xml' | 'text/xml'
}

/** In the order of preference among equals. */
const formats: readonly AnswerFormat[] = [
  { name: 'json', mediaType: 'application/json' },
  { name: 'xml', mediaType: 'application/xml' },
  { name: 'xml', mediaType: 'text/xml' },
]
const json = formats[0] as AnswerFormat

/**
 * One range of an Accept header with only its q: negotiators treat `application/json; charset=utf-8` as a separate
 * type. Some old clients send a bare `*` (java.net's default ends in `*; q=.2`), which means all types.
 */
function plainRange(range: string): string {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
  const quality = parameters.find((parameter) => /^q\s*=/i.test(parameter))
  return [type === '*' ? '*/*' : type, ...(quality === undefined ? [] : [quality])].join(';')
}

/** The format according to Accept, or undefined if the client accepts neither JSON nor XML (contract C6). */
function preferredFormat(accept: string | undefined): AnswerFormat | undefined {
  const ranges = (accept ?? '')
    .split(',')
    .map(plainRange)
    .filter((range) => range !== '')
  if (ranges.length === 0) return json
  const negotiator = new Negotiator({ headers: { accept: ranges.join(', ') } })
  const accepted = negotiator.mediaTypes(formats.map(({ mediaType }) => mediaType))
  // A browser lists text/html first and XML before */*, yet a person who opens the address wants to read JSON.
  const isBrowser = /^text\/html(;|$)/i.test(ranges[0] ?? '')
  if (isBrowser && accepted.includes(json.mediaType)) return json
  return formats.find(({ mediaType }) => mediaType === accepted[0])
}

/** Adds to Vary what the response depends on. */
export function addVary(reply: FastifyReply, field: string): void {
  const known = String(reply.getHeader('Vary') ?? '')
  const fields = known === '' ? [] : known.split(', ')
  if (!fields.includes(field)) void reply.header('Vary', [...fields, field].join(', '))
}

/** @throws refusal `not-acceptable`. */
export function answerFormat(request: FastifyRequest, reply: FastifyReply): AnswerFormat {
  addVary(reply, 'Accept')
  const format = preferredFormat(request.headers.accept)
  if (!format) throw refuse('not-acceptable')
  return format
}

/** The format of a problem document, which is never refused: JSON unless XML is preferred. */
export function problemFormat(accept: string | undefined): 'json' | 'xml' {
  if (accept === undefined) return 'json'
  const asked = accept.replaceAll(/application\/problem\+(json|xml)/gi, 'application/$1')
  return preferredFormat(asked)?.name ?? 'json'
}

export interface DeclaredType {
  /** Lower case, without parameters; undefined if none was declared. */
  readonly essence: string | undefined
  readonly charset: string | undefined
}

/** @throws refusal `unsupported-media-type` for a Content-Type that is none, or a body with a Content-Encoding. */
export function declaredType(request: FastifyRequest): DeclaredType {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw refuse('unsupported-media-type', { detail: 'Send the body without a Content-Encoding.' })
  }
  const header = request.headers['content-type']
  if (header === undefined || header.trim() === '') return { essence: undefined, charset: undefined }
  const { type, parameters } = parseContentType(header)
  if (!isTypeValid(type)) {
    throw refuse('unsupported-media-type', { detail: 'The Content-Type is not a valid media type.' })
  }
  return { essence: type.toLowerCase(), charset: parameters['charset']?.toLowerCase() }
}

export interface DeclaredFormat {
  /** @throws refusal `unsupported-media-type` for a form body whose first character does not identify the format (C6). */
  readonly formatOf: (body: Uint8Array) => BodyFormat
  readonly charset: string | undefined
}

/**
 * The format of a body that may be JSON or XML.
 * @param what its name in error messages, such as `details`.
 * @throws refusal `unsupported-media-type` for any other Content-Type.
 */
export function declaredFormat(request: FastifyRequest, what: string): DeclaredFormat {
  const { essence, charset } = declaredType(request)
  const format = bodyFormatOf(essence)
  if (format !== undefined) return { formatOf: () => format, charset }
  const unsupported = (sent: string): Refusal =>
    refuse('unsupported-media-type', {
      detail: `${sent}; ${what} must be sent as application/json or application/xml.`,
    })
  if (essence === undefined) throw unsupported('The request has no Content-Type')
  const sent = `The Content-Type is ${clip(essence)}`
  if (essence !== defaultFormType) throw unsupported(sent)
  const formatOf = (body: Uint8Array): BodyFormat => {
    const begun = formatByStart(body)
    if (begun === undefined) throw unsupported(`${sent}, and the body does not begin with {, [ or <`)
    return begun
  }
  return { formatOf, charset }
}

/**
 * The body as it arrives. If the loop stops early, the client still gets its response and keeps the connection
 * (incoming.ts).
 */
export function bodyOf(request: FastifyRequest): AsyncGenerator<Uint8Array, void> {
  return request.incoming.read()
}

/**
 * The whole body, in its own memory: as much as has arrived; the caller may release it afterwards (release-memory.ts).
 * @throws refusals `body-too-large` if more than `limitBytes` are declared, or as soon as they have arrived, and
 * `too-many-requests` and `busy` if there is no memory for it.
 */
export async function readBody(
  request: FastifyRequest,
  limitBytes = request.server.limits.maxDetailsBytes,
): Promise<Uint8Array> {
  const tooLarge = () => refuse('body-too-large', { detail: `The body may be at most ${limitBytes} bytes.` })
  const { largeBodies } = request.server
  const mayComeBytes = Number(request.headers['content-length'] ?? limitBytes)
  if (mayComeBytes > limitBytes) throw tooLarge()
  const body = gatherBytes()
  for await (const chunk of bodyOf(request)) {
    if (body.bytes + chunk.length > limitBytes) throw tooLarge()
    body.add(chunk)
    releaseMemory(chunk)
    await largeBodies.admit(request, body.bytes, mayComeBytes)
  }
  await largeBodies.enter(request, body.bytes)
  return body.join()
}
