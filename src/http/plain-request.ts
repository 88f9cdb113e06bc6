// Tells the plainest requests, which are read the same way by everybody: only they may go past the hooks (hot-paths.ts).
import type { IncomingMessage } from 'node:http'
import type { ServerLimits } from './limits.ts'
import { host } from './request-sanity.ts'

const whatever = /^/

/**
 * The headers that such a request may carry, each once, and what may stand in it. None of them changes the answer but
 * Authorization, and Accept, which asks for JSON in the usual words or for whatever there is. A header that is not here
 * (Origin, Cookie, Range, If-…, X-API-Key, Forwarded, Content-Length, Transfer-Encoding, Upgrade, Expect) may change it,
 * or where the request ends, or who seems to ask.
 */
const known: ReadonlyMap<string, RegExp> = new Map([
  ['host', host],
  // A token of ours alone: one of another issuer holds dots, and costs more to look at than is saved here.
  ['authorization', /^Bearer [\w-]{16,128}$/],
  ['accept', /^(?:\*\/\*|application\/json)$/],
  ['connection', /^keep-alive$/i],
  ['user-agent', whatever],
  ['accept-encoding', whatever],
  ['accept-language', whatever],
  ['cache-control', whatever],
  ['pragma', whatever],
  ['sec-fetch-mode', whatever],
])

/** Of all headers together; a browser sends less. */
const mostBytes = 2_048

/** @returns whether this is a GET in HTTP/1.1 without a body, with a Host, a token, and nothing that asks for more than the resource. */
export function createPlainRequests(
  limits: Pick<ServerLimits, 'mostHeaderBytes' | 'mostHeaders' | 'mostUrlBytes'>,
) {
  const mostHeaderBytes = Math.min(mostBytes, limits.mostHeaderBytes)

  return ({ method, httpVersion, url = '', rawHeaders }: IncomingMessage): boolean => {
    if (method !== 'GET' || httpVersion !== '1.1' || url.length > limits.mostUrlBytes) return false
    if (rawHeaders.length > 2 * Math.min(known.size, limits.mostHeaders)) return false
    const seen = new Set<string>()
    let bytes = 0
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = (rawHeaders[index] ?? '').toLowerCase()
      const value = rawHeaders[index + 1] ?? ''
      bytes += name.length + value.length + ': \r\n'.length
      if (known.get(name)?.test(value) !== true || seen.has(name)) return false
      seen.add(name)
    }
    return bytes <= mostHeaderBytes && seen.has('host') && seen.has('authorization')
  }
}
