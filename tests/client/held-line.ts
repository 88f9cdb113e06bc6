// A proxy that holds one upload: before the server has it, or after it has responded.
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { buffer } from 'node:stream/consumers'

export interface HeldLine {
  readonly url: string
  /**
   * Holds the next POST.
   * @returns a promise that resolves once it is held; its sender gets no response.
   */
  hold(when: 'before' | 'after'): Promise<void>
}

export async function startHeldLine(t: TestContext, target: string): Promise<HeldLine> {
  let held: { when: 'before' | 'after'; tell: () => void } | undefined

  async function pass(incoming: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = incoming
    const body = await buffer(incoming)
    const holding = method === 'POST' ? held : undefined
    if (holding) held = undefined
    if (holding?.when === 'before') return holding.tell()
    const outgoing = http.request(target + path, { method, headers })
    outgoing.end(body)
    const [answer] = (await once(outgoing, 'response')) as [http.IncomingMessage]
    const answered = await buffer(answer)
    if (holding) return holding.tell()
    response.writeHead(answer.statusCode ?? 0, answer.headers).end(answered)
  }

  const server = http.createServer((incoming, response) => {
    pass(incoming, response).catch(() => incoming.socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: (when) =>
      new Promise((resolve) => {
        held = { when, tell: resolve }
      }),
  }
}
