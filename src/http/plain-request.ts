// Tells the plainest requests, which are read the same way by everybody: only they may go past the hooks (hot-paths.ts).
import type { IncomingMessage } from 'node:http'
import type { ServerLimits } from './limits.ts'
import { host } from './connections/request-sanity.ts'

/** Header names, in lower case, and what may stand in each; `whatever` where it changes nothing. */
export type PlainHeaders = Readonly<Record<string, RegExp | 'whatever'>>

/**
 * The headers that any such request may carry, each once. None of them changes the answer. A header that is neither here
 * nor the endpoint's own (Range, Content-Length, Transfer-Encoding, Upgrade, Expect) may change it, or where the
 * request ends, or who seems to ask. The addresses that proxies tell are read as everywhere (proxied-address.ts).
 */
const known: PlainHeaders = {
  host,
  connection: /^keep-alive$/i,
  'user-agent': 'whatever',
  'accept-encoding': 'whatever',
  'accept-language': 'whatever',
  'cache-control': 'whatever',
  pragma: 'whatever',
  priority: 'whatever',
  referer: 'whatever',
  'sec-ch-ua': 'whatever',
  'sec-ch-ua-mobile': 'whatever',
  'sec-ch-ua-platform': 'whatever',
  'sec-fetch-dest': 'whatever',
  'sec-fetch-mode': 'whatever',
  'sec-fetch-user': 'whatever',
  'x-forwarded-for': 'whatever',
  'x-forwarded-host': 'whatever',
  'x-forwarded-proto': 'whatever',
  'x-real-ip': 'whatever',
}

/** Of all headers together; a browser sends less, but for long cookies. */
const maxBytes = 2_048

export interface PlainRules {
  /** What the endpoint lets through, or is stricter about, besides the headers that all may carry. */
  readonly also?: PlainHeaders
  /** Headers that must be there; Host always. */
  readonly needed?: readonly string[]
}

/** The value of a header of a plain request, in which none stands twice. Node's `headers` makes an object of all of them. */
export function plainHeader({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? ''
    if (sent.length === name.length && sent.toLowerCase() === name) return rawHeaders[index + 1]
  }
  return undefined
}

interface Rule {
  readonly bit: number
  readonly pattern: RegExp | undefined
}

function rulesOf(headers: PlainHeaders): ReadonlyMap<string, Rule> {
  const rules = Object.entries(headers).map(([name, pattern], index): [string, Rule] => [
    name,
    { bit: 2 ** index, pattern: pattern === 'whatever' ? undefined : pattern },
  ])
  // Each has a bit of a whole number, by which one that stands twice is told.
  if (rules.length > 30) throw new Error('too many headers to track')
  return new Map(rules)
}

/** @returns whether this is a GET in HTTP/1.1 without a body, with a Host, and nothing that asks for more than the resource. */
export function createPlainRequests(
  limits: Pick<ServerLimits, 'maxHeaderBytes' | 'maxHeaders' | 'maxUrlBytes'>,
  { also = {}, needed = [] }: PlainRules = {},
) {
  const maxHeaderBytes = Math.min(maxBytes, limits.maxHeaderBytes)
  const rules = rulesOf({ ...known, ...also })
  const maxEntries = 2 * Math.min(rules.size, limits.maxHeaders)
  const mustBeThere = ['host', ...needed].reduce((bits, name) => bits | (rules.get(name)?.bit ?? 0), 0)

  return ({ method, httpVersion, url = '', rawHeaders }: IncomingMessage): boolean => {
    if (method !== 'GET' || httpVersion !== '1.1' || url.length > limits.maxUrlBytes) return false
    if (rawHeaders.length > maxEntries) return false
    let seen = 0
    let bytes = 0
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = (rawHeaders[index] ?? '').toLowerCase()
      const value = rawHeaders[index + 1] ?? ''
      const rule = rules.get(name)
      bytes += name.length + value.length + ': \r\n'.length
      if (rule === undefined || (seen & rule.bit) !== 0) return false
      if (rule.pattern?.test(value) === false) return false
      seen |= rule.bit
    }
    return bytes <= maxHeaderBytes && (seen & mustBeThere) === mustBeThere
  }
}
