// A proxy that forwards only the classic paths that `waymark pull` may request, and counts the requests.
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { AskedPath } from './classic-stand-in.ts'

const classic = [
  /^\/V1\/Trails\/\d+\/Images\/\?api_key=[^&]+$/,
  /^\/V1\/ImageHandler\?id=\d+&t=lg$/,
  /^\/v1\.6\/Accounts\/\d+\/Routes$/,
]

export interface FilterOptions {
  /** URL of the server behind it. */
  readonly target: string
  /** Other paths that are allowed with GET or HEAD. */
  readonly also?: readonly RegExp[]
  /** Paths that are allowed with POST. */
  readonly posts?: readonly RegExp[]
  /** @param status of the response; undefined when the request arrives. */
  readonly onStep?: (step: 'came' | 'half' | 'sent', path: string, status?: number) => void
}

export async function startClassicFilter(
  t: TestContext,
  { target, also = [], posts = [], onStep = () => undefined }: FilterOptions,
) {
  const asked = new Map<string, AskedPath>()
  const strays: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const isRead = ['GET', 'HEAD'].includes(request.method ?? '')
    const allowed = isRead ? [...classic, ...also] : request.method === 'POST' ? posts : []
    if (!allowed.some((one) => one.test(path))) {
      strays.push(`${request.method} ${path}`)
      response.writeHead(404).end()
      return
    }
    asked.set(path, { times: (asked.get(path)?.times ?? 0) + 1, faults: 0 })
    onStep('came', path)
    const onward = send(
      `${target}${path}`,
      { method: request.method, headers: { ...request.headers, host: 'waymark.example' } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.once('data', () => onStep('half', path, answer.statusCode))
        answer.pipe(response)
        response.once('finish', () => onStep('sent', path, answer.statusCode))
      },
    )
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    asked: asked as ReadonlyMap<string, AskedPath>,
    /** Requests for paths that are not classic. */
    strays: strays as readonly string[],
  }
}
