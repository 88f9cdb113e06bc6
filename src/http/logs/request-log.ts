// The log's one line of every request, with nothing secret in it.
import { isIP } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { remembering } from '../../shared/bounded-cache.ts'
import { hasClientLeft } from '../bodies/incoming.ts'
import { pathForLog } from './redact.ts'
import type { EndedRequest, Traffic } from '../connections/traffic.ts'

/**
 * Paths that the log shows as they are: each segment is too short for a token, without the underscore of a key, and nothing
 * in it is for JSON or a terminal to mind.
 */
const plainPath = /^(?:\/[A-Za-z0-9.-]{0,31})+$/
const maxPlainPathLength = 200

const levelsWithInfo: ReadonlySet<string> = new Set(['info', 'debug', 'trace'])

/** Writes a line that needs no redacting. */
export type WriteLine = (line: string) => void

/** A proxy passes on anything it was sent. */
const shownAddress = (address: string): string | null => (isIP(address) === 0 ? null : address)

const maxAddresses = 1_000

/**
 * The same as JSON. Checking whether a text is an address costs more than the rest of the line, so a few are
 * remembered.
 */
const createShownAddresses = (): ((address: string) => string) =>
  remembering(maxAddresses, (address) => JSON.stringify(shownAddress(address)))

const milliseconds = ({ durationMs }: EndedRequest): number => Math.round(durationMs * 10) / 10

const isAborted = ({ isWhole, refusal }: EndedRequest): boolean => !isWhole || hasClientLeft(refusal)

/** Any request. */
function logAny(log: FastifyBaseLogger, ended: EndedRequest): void {
  const { id, method, url, refusal, address, status, traceId } = ended
  log.info(
    {
      reqId: id,
      ...(traceId === undefined ? {} : { trace_id: traceId }),
      method,
      path: pathForLog(url),
      status: status ?? null,
      ...(refusal ? { code: refusal.code } : {}),
      milliseconds: milliseconds(ended),
      address: shownAddress(address),
      ...(isAborted(ended) ? { aborted: true } : {}),
    },
    'request',
  )
}

/**
 * The same line for most requests, built by hand: pino and redact.ts take five times as long.
 * @returns undefined if something in it needs redacting.
 */
function plainLine(ended: EndedRequest, shownAs: (address: string) => string): string | undefined {
  const { id, method, url, address, status, refusal, traceId } = ended
  if (status === undefined || refusal !== null || isAborted(ended)) return undefined
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  if (path.length > maxPlainPathLength || !plainPath.test(path)) return undefined
  const trace = traceId === undefined ? '' : `,"trace_id":"${traceId}"`
  return `{"level":30,"time":${Date.now()},"reqId":"${id}"${trace},"method":"${method}","path":"${path}","status":${status},"milliseconds":${milliseconds(ended)},"address":${shownAs(address)},"msg":"request"}\n`
}

/**
 * One line per request. Never the query: it may contain an API key. Never a header: it may contain a token.
 * @param log the logger for all other lines.
 * @param writeLine where its lines go.
 */
export function logRequests(traffic: Traffic, log: FastifyBaseLogger, writeLine: WriteLine): void {
  const shownAs = createShownAddresses()
  traffic.onEnd((ended) => {
    const line = levelsWithInfo.has(log.level) ? plainLine(ended, shownAs) : undefined
    if (line === undefined) logAny(log, ended)
    else writeLine(line)
  })
}
