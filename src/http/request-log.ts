// The log's one line of every request, with nothing secret in it.
import { isIP } from 'node:net'
import { hasClientLeft } from './incoming.ts'
import { pathForLog } from './redact.ts'
import type { Traffic } from './traffic.ts'

/** One line a request. Never the query: it may hold an API key. Never a header: it may hold a token. */
export function logRequests(traffic: Traffic): void {
  traffic.onEnd(({ request, address, durationMs, status, isWhole }) => {
    request.log.info(
      {
        method: request.method,
        path: pathForLog(request.url),
        status: status ?? null,
        ...(request.refusal ? { code: request.refusal.code } : {}),
        milliseconds: Math.round(durationMs * 10) / 10,
        address: isIP(address) === 0 ? null : address, // a proxy passes on whatever it was told
        ...(isWhole && !hasClientLeft(request.refusal) ? {} : { aborted: true }),
      },
      'request',
    )
  })
}
