// An HTTP proxy on loopback that can refuse, delay or cut off requests and responses.
import { once } from 'node:events'
import { createServer, request as ask, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

export interface Refusal {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface Meddling {
  /** Called before anything is forwarded. A returned refusal is sent instead of the server's response. */
  readonly onRequest?: (request: IncomingMessage) => Refusal | undefined
  /**
   * Called with the first chunk of the body.
   * @returns the chunk to forward.
   */
  readonly onBody?: (request: IncomingMessage, piece: Buffer) => Buffer
  /**
   * Called once the server has responded.
   * @returns whether to forward the response; otherwise the connection is closed.
   */
  readonly onAnswer?: (request: IncomingMessage) => boolean
}

const problem = JSON.stringify({ type: '/problems/proxy', title: 'Not now', detail: 'The proxy said so.' })

export const isUpload = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'POST' && /^\/v2\/trails\/\d+\/images$/.test(url)

export async function startHttpProxy(t: TestContext, target: string) {
  let meddling: Meddling = {}
  const server = createServer((request, response) => {
    const { onRequest, onBody, onAnswer } = meddling
    response.on('error', () => undefined)
    const refusal = onRequest?.(request)
    if (refusal) {
      request.resume().once('end', () => {
        response.writeHead(refusal.status, { 'content-type': 'application/problem+json', ...refusal.headers })
        response.end(problem)
      })
      return
    }
    const { method, url: path, headers } = request
    const passed = ask(new URL(path ?? '/', target), { method, headers, agent: false })
    passed.on('error', () => response.destroy())
    request.on('error', () => passed.destroy()).on('aborted', () => passed.destroy())
    let isFirst = true
    request.on('data', (piece: Buffer) => {
      passed.write(isFirst && onBody ? onBody(request, piece) : piece)
      isFirst = false
    })
    request.on('end', () => passed.end())
    passed.on('response', (answer) => {
      void buffer(answer).then(
        (bytes) => {
          if (onAnswer && !onAnswer(request)) return response.destroy()
          response.writeHead(answer.statusCode ?? 502, answer.headers)
          return response.end(bytes)
        },
        () => response.destroy(),
      )
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    meddle: (next: Meddling): void => {
      meddling = next
    },
  }
}
