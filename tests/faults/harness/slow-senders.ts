// The ways to send slowly, and how long each is allowed.
import type { SlowKind } from './crowd.ts'
import { trailId } from './installation.ts'

export interface Timeouts {
  readonly headersSeconds: number
  readonly requestSeconds: number
  readonly uploadSeconds: number
  readonly idleSeconds: number
}

const chunked = 'Transfer-Encoding: chunked'

/** @returns each kind with the seconds after which it must be closed. */
export function slowSenders(
  { headersSeconds, requestSeconds, uploadSeconds }: Timeouts,
  token: string,
  image: string,
) {
  const head = (line: string, ...headers: string[]): string =>
    [`${line} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${token}`, ...headers, '', ''].join('\r\n')
  const put = head(`PUT /Trails/${trailId}/Images/${image}`, 'Content-Type: application/json', chunked)
  const post = head(`POST /Trails/${trailId}/Images`, chunked)
  const nothing = head('POST /nothing', chunked)
  const chunk = '1\r\n \r\n'
  // The average rate of an upload is first checked after a twelfth of its time, at most ten seconds.
  const judgedSeconds = Math.min(10, uploadSeconds / 12) + 1
  const kinds: readonly (readonly [SlowKind, number])[] = [
    [
      { name: 'headers', start: 'GET / HTTP/1.1\r\nHost: a\r\n', chunk: 'X: y\r\n', isReading: true },
      headersSeconds,
    ],
    [{ name: 'details', start: put, chunk, isReading: true }, requestSeconds],
    [{ name: 'uploads', start: post, chunk, isReading: true }, judgedSeconds],
    [{ name: 'bodies that nobody reads', start: nothing, chunk, isReading: true }, requestSeconds],
  ]
  return kinds
}
