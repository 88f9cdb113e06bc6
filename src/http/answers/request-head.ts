// Collects, in one pass, the request headers that an answer may depend on.
import type { ServerLimits } from '../limits.ts'
import { host as hostForm } from '../connections/request-sanity.ts'

/** Headers that are read, each once: a request with two of one is for the ordinary way. */
const read = [
  'host',
  'authorization',
  'x-api-key',
  'cookie',
  'accept',
  'accept-encoding',
  'accept-language',
  'if-none-match',
  'origin',
  'sec-fetch-site',
  'sec-fetch-dest',
  'x-waymark-page',
  'access-control-request-method',
  'access-control-request-headers',
  'x-sendfile-type',
  'content-type',
  'connection',
] as const

export type ReadHeader = (typeof read)[number]

/** Headers that leave the request to Fastify. */
const declined = [
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'expect',
  'upgrade',
  'range',
  'if-range',
  'if-match',
  'if-unmodified-since',
] as const

const isIgnored = -1
const isDeclined = -2

/** The values by the place of their header in `read`. */
export type RequestHead = readonly (string | undefined)[]

const placeOf = new Map<string, number>([
  ...read.map((name, place): [string, number] => [name, place]),
  ...declined.map((name): [string, number] => [name, isDeclined]),
])
const places = Object.fromEntries(read.map((name, place) => [name, place])) as Record<ReadHeader, number>

export const headerOf = (head: RequestHead, name: ReadHeader): string | undefined => head[places[name]]

/** How many spellings of header names are remembered, so that few must be converted to lower case. */
const maxSpellings = 1_000
const maxSpellingLength = 40

/** @returns what reads a head; undefined for a request that is for the ordinary way. */
export function createHeadReader({
  maxHeaderBytes,
  maxHeaders,
}: Pick<ServerLimits, 'maxHeaderBytes' | 'maxHeaders'>) {
  const spellings = new Map<string, number>()

  function placeOfSpelling(name: string): number {
    const place = placeOf.get(name.toLowerCase()) ?? isIgnored
    if (spellings.size < maxSpellings && name.length <= maxSpellingLength) spellings.set(name, place)
    return place
  }

  return (rawHeaders: readonly string[]): RequestHead | undefined => {
    if (rawHeaders.length > 2 * maxHeaders) return undefined
    const head: (string | undefined)[] = []
    let bytes = 0
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index] ?? ''
      const value = rawHeaders[index + 1] ?? ''
      bytes += name.length + value.length + ': \r\n'.length
      const place = spellings.get(name) ?? placeOfSpelling(name)
      if (place === isIgnored) continue
      if (place === isDeclined || head[place] !== undefined) return undefined
      head[place] = value
    }
    if (bytes > maxHeaderBytes) return undefined
    const connection = headerOf(head, 'connection')
    const isPlain = connection === undefined || /^(?:keep-alive|close)$/i.test(connection)
    return isPlain && hostForm.test(headerOf(head, 'host') ?? '') ? head : undefined
  }
}
