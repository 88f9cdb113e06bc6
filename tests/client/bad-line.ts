// A faulty proxy between the SDK and a real Waymark: it forwards requests except for chosen faults.
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { createWaymark, type Waymark, type WaymarkOptions } from '../../client/client.ts'

/**
 * `lose-request`: it never arrives. `lose-answer`: it is executed, but the response is lost. `cut-answer`: the body is
 * cut off. `silence`: it never arrives, and the connection stays open. `half-answer`: the same after half of the body. Or
 * a proxy answers instead of the server.
 */
export type Fault =
  | 'none'
  | 'lose-request'
  | 'lose-answer'
  | 'cut-answer'
  | 'silence'
  | 'half-answer'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly key: string | undefined
  readonly authorization: string | undefined
}

export interface BadLine {
  readonly url: string
  /** All requests received, with or without a fault. */
  readonly seen: SeenRequest[]
  /** One fault for each of the next requests; then no more faults. Clears `seen`. */
  spoil(...faults: readonly Fault[]): void
  close(): Promise<void>
}

export async function startBadLine(target: string): Promise<BadLine> {
  const seen: SeenRequest[] = []
  const faults: Fault[] = []

  async function pass(incoming: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = incoming
    const key = headers['idempotency-key']
    seen.push({ method, path, key: [key].flat()[0], authorization: headers.authorization })
    const fault = faults.shift() ?? 'none'
    if (fault === 'lose-request') return void incoming.socket.destroy()
    if (fault === 'silence') return void incoming.resume()
    if (typeof fault === 'object') {
      incoming.resume()
      response.writeHead(fault.status, fault.headers)
      return void response.end(fault.body)
    }
    const outgoing = http.request(target + path, { method, headers })
    incoming.pipe(outgoing)
    incoming.once('close', () => incoming.complete || outgoing.destroy()) // if the client gives up, so does the proxy
    const [answer] = (await once(outgoing, 'response')) as [http.IncomingMessage]
    const body = await buffer(answer)
    if (fault === 'lose-answer') return void incoming.socket.destroy()
    response.writeHead(answer.statusCode ?? 0, answer.headers)
    if (fault === 'none') return void response.end(body)
    if (fault === 'half-answer') return void response.write(body.subarray(0, body.length / 2))
    response.write(body.subarray(0, body.length / 2), () => incoming.socket.destroy())
  }

  const server = http.createServer((incoming, response) => {
    pass(incoming, response).catch(() => incoming.socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    spoil: (...next) => {
      seen.length = 0
      faults.splice(0, faults.length, ...next)
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** An SDK with very short waits between attempts. */
export const impatient = (options: WaymarkOptions): Waymark =>
  createWaymark({ retries: { firstWaitMs: 1 }, ...options })
