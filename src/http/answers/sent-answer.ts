// Captures an answer as Fastify sends it: URL, headers and body.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AnswerBody } from './answer-store.ts'

/** A body that short is best sent as a text: node:http writes it together with the headers. */
const maxTextLength = 32 * 1024
/** A longer body is cached by its maker, or not at all. */
export const maxOwnBytes = 2 * 1024 ** 2

/** Never cached: they differ each time, or belong to a connection. */
const ownOfEach: ReadonlySet<string> = new Set(['ratelimit', 'ratelimit-policy', 'date', 'content-length'])

const isKeyless = (part: string): boolean => {
  const [name = ''] = part.split('=', 1)
  try {
    return decodeURIComponent(name.replaceAll('+', ' ')) !== 'api_key'
  } catch {
    return true
  }
}

/** The URL without API keys, which only identify the caller. */
export function withoutKeys(url: string): string {
  const end = url.indexOf('?')
  if (end < 0) return url
  const rest = url
    .slice(end + 1)
    .split('&')
    .filter(isKeyless)
    .join('&')
  return rest === '' ? url.slice(0, end) : `${url.slice(0, end)}?${rest}`
}

export const keysIn = (request: FastifyRequest): readonly string[] =>
  [(request.query as Record<string, unknown>)['api_key']].flat().filter((key) => typeof key === 'string')

/** Headers of a reply: lower-case names, each followed by its value. */
export function headersOf(reply: FastifyReply): string[] | undefined {
  const headers: string[] = []
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (name === 'set-cookie' || name === 'connection' || Array.isArray(value)) return undefined
    if (value !== undefined && !ownOfEach.has(name)) headers.push(name, String(value))
  }
  return headers
}

export interface SentBody {
  readonly bytes: number
  readonly body: AnswerBody
}

/** @returns undefined for a stream. */
export function bodyOf(payload: unknown): SentBody | undefined {
  if (payload === null || payload === undefined) return { bytes: 0, body: '' }
  if (typeof payload === 'string' && payload.length <= maxTextLength) {
    const length = Buffer.byteLength(payload)
    // In ASCII text each character is its byte.
    if (length === payload.length) return { bytes: length, body: payload }
  }
  const bytes =
    typeof payload === 'string' ? Buffer.from(payload) : payload instanceof Uint8Array ? payload : undefined
  if (bytes === undefined) return undefined
  const isShort = bytes.length <= maxTextLength
  return {
    bytes: bytes.length,
    body: isShort ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1') : bytes,
  }
}

/** @returns a function that makes the body again, with the current request id in place of the first one's. */
export function bodyFor(body: AnswerBody, requestId: string): (id: string) => AnswerBody {
  if (typeof body !== 'string' || !body.includes(requestId)) return () => body
  const parts = body.split(requestId)
  return (id) => parts.join(id)
}
