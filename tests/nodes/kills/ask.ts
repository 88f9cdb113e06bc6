// One request to one node, by a client that continues with another node if this one is gone.
import http from 'node:http'
import { text } from 'node:stream/consumers'

export interface Answer {
  /** 0 if the connection ended without a response. */
  readonly status: number
  readonly body: string
}

export interface Ask {
  readonly method?: string
  readonly url: string
  readonly token: string
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/** Longer than any response of a running node; a stopped one must not block a client forever. */
const maxMs = 20_000
const nobody: Answer = { status: 0, body: '' }

async function ask(agent: http.Agent, { method = 'GET', url, token, body, headers }: Ask): Promise<Answer> {
  const request = http.request(url, {
    method,
    agent,
    timeout: maxMs,
    headers: {
      authorization: `Bearer ${token}`,
      ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      ...headers,
    },
  })
  const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
    request.once('timeout', () => request.destroy(new Error('no answer in time')))
  })
  request.end(body)
  const response = await answered
  return { status: response.statusCode ?? 0, body: await text(response) }
}

/** Uses keep-alive connections, like a real client. `end` closes them. */
export function createAsker() {
  const agent = new http.Agent({ keepAlive: true })
  return {
    ask: (one: Ask): Promise<Answer> => ask(agent, one).catch(() => nobody),
    end: (): void => agent.destroy(),
  }
}

export type Asker = ReturnType<typeof createAsker>

/** Responses of a node that stops, starts, or has no database: the result of the write is unknown. */
export const isUnknown = ({ status }: Answer): boolean => [0, 502, 503, 504].includes(status)
