// The log's one line of every request, with nothing secret in it.
import { isIP } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { hasClientLeft } from './incoming.ts'
import { pathForLog } from './redact.ts'
import type { Traffic } from './traffic.ts'

/** One line a request. Never the query: it may hold an API key. Never a header: it may hold a token. */
export function logRequests(traffic: Traffic, log: FastifyBaseLogger): void {
  traffic.onEnd(({ id, method, url, refusal, address, durationMs, status, isWhole }) => {
    log.info(
      {
        reqId: id,
        method,
        path: pathForLog(url),
        status: status ?? null,
        ...(refusal ? { code: refusal.code } : {}),
        milliseconds: Math.round(durationMs * 10) / 10,
        address: isIP(address) === 0 ? null : address, // a proxy passes on whatever it was told
        ...(isWhole && !hasClientLeft(refusal) ? {} : { aborted: true }),
      },
      'request',
    )
  })
}
