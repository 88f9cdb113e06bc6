// Serves one file in ranges, with every fault that such servers have in practice.
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface Served {
  readonly start: number
  /** Exclusive. */
  readonly end: number
}

export interface RangeServer {
  readonly url: string
  /** All requests, in order. */
  readonly asked: Served[]
  /** Body bytes sent so far. */
  sent(): number
  replace(bytes: Buffer): void
  /** Replaces the next responses; undefined lets one pass. */
  next(
    ...answers: ((request: IncomingMessage, response: ServerResponse, range: Served) => boolean | void)[]
  ): void
  /** Cuts off every response after this many bytes. */
  cutAfter(bytes: number | undefined): void
  /** Holds back all responses that start at this offset or later, as long as it is set. */
  hold(from: number | undefined): void
  /** Limits the rate of each response. */
  slow(bytesPerMs: number | undefined): void
}

const etagOf = (bytes: Buffer): string => `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`

export async function startRangeServer(t: TestContext, first: Buffer): Promise<RangeServer> {
  let bytes = first
  let etag = etagOf(bytes)
  let sent = 0
  let cut: number | undefined
  let speed: number | undefined
  let held: number | undefined
  const asked: Served[] = []
  const queue: ((request: IncomingMessage, response: ServerResponse, range: Served) => boolean | void)[] = []

  async function send(response: ServerResponse, body: Buffer): Promise<void> {
    const whole = cut === undefined ? body : body.subarray(0, cut)
    const piece = speed === undefined ? whole.length : Math.max(1, speed * 5)
    for (let at = 0; at < whole.length; at += piece) {
      if (response.destroyed) return
      const part = whole.subarray(at, at + piece)
      sent += part.length
      // Wait until the system has the data, since destroying the socket discards the rest.
      await new Promise<void>((resolve) => void response.write(part, () => resolve()))
      if (speed !== undefined) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    if (whole.length < body.length) response.destroy()
    else response.end()
  }

  const server = createServer((request, response) => {
    const [, from = '0', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    const start = Number(from)
    const end = Math.min(bytes.length, Number(to) + 1)
    asked.push({ start, end })
    const instead = queue.shift()
    if (instead?.(request, response, { start, end }) === true) return
    if (held !== undefined && start >= held) return
    if (start >= bytes.length) {
      response.writeHead(416).end()
      return
    }
    response.writeHead(206, {
      'content-range': `bytes ${start}-${end - 1}/${bytes.length}`,
      'content-length': end - start,
      etag,
    })
    void send(response, bytes.subarray(start, end)).catch(() => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/world.pmtiles`,
    asked,
    sent: () => sent,
    replace: (other) => {
      bytes = other
      etag = etagOf(other)
    },
    next: (...answers) => void queue.push(...answers),
    cutAfter: (count) => {
      cut = count
    },
    hold: (from) => {
      held = from
    },
    slow: (bytesPerMs) => {
      speed = bytesPerMs
    },
  }
}
