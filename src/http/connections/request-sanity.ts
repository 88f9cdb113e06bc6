// Refuses request heads, before anything else is checked, that two parsers might understand differently.
import type { FastifyRequest } from 'fastify'
import { refuse, type Refusal } from '../../errors.ts'
import type { ServerLimits } from '../limits.ts'

/** Which of two counts is for each reader to guess. */
const onceOnly: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'content-type',
  'authorization',
])

export const host = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{0,5})?$/i
/** The whole address as the target (RFC 9112, section 3.2.2); a user in it is how links lie. */
const wholeAddress = /^https?:\/\/(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{0,5})?(?:[/?]|$)/i

/** The connection cannot be reused: where one parser sees an end, another may see the middle. */
const closing = { Connection: 'close' }

const unclear = (detail: string): Refusal => refuse('bad-request', { detail, headers: closing })
const tooLarge = (detail: string): Refusal => refuse('headers-too-large', { detail, headers: closing })

function requireSaneHeaders(rawHeaders: readonly string[], limits: ServerLimits): void {
  if (rawHeaders.length > 2 * limits.maxHeaders) {
    throw tooLarge(`The request has more than ${limits.maxHeaders} headers.`)
  }
  const seen = new Set<string>()
  let bytes = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const lower = (rawHeaders[index] ?? '').toLowerCase()
    bytes += lower.length + (rawHeaders[index + 1] ?? '').length + ': \r\n'.length
    if (onceOnly.has(lower) && seen.has(lower)) throw unclear(`Duplicate header: ${lower}.`)
    seen.add(lower)
  }
  if (bytes > limits.maxHeaderBytes) {
    throw tooLarge(`The headers are larger than ${limits.maxHeaderBytes} bytes.`)
  }
}

/**
 * Call it before the path is used.
 * @throws refusals `bad-request`, `headers-too-large`, `uri-too-long`.
 */
export function requireSaneRequest(request: FastifyRequest, limits: ServerLimits): void {
  const { raw, originalUrl, headers } = request
  if (raw.httpVersion !== '1.1' && raw.httpVersion !== '1.0') {
    throw unclear('The request must use HTTP/1.1 or HTTP/1.0.')
  }
  requireSaneHeaders(raw.rawHeaders, limits)
  if (originalUrl.length > limits.maxUrlBytes) {
    throw refuse('uri-too-long', { detail: `The URL is longer than ${limits.maxUrlBytes} bytes.` })
  }
  const isPath = originalUrl.startsWith('/') || originalUrl === '*'
  if (originalUrl.includes('#') || !(isPath || wholeAddress.test(originalUrl))) {
    throw unclear('The request target must be a path, or an http:// or https:// URL without a fragment.')
  }
  // HTTP/1.0 knew no Host.
  if (headers.host === undefined && raw.httpVersion === '1.1') throw unclear('The header Host is missing.')
  if (headers.host !== undefined && !host.test(headers.host)) throw unclear('The header Host is invalid.')
  const coding = headers['transfer-encoding']
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || raw.httpVersion !== '1.1')) {
    throw unclear('Transfer-Encoding may only be chunked, and only in HTTP/1.1.')
  }
}
