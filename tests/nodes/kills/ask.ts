// One request to one node, as a client sends it that goes on through another node where the first is gone.
import http from 'node:http'
import { text } from 'node:stream/consumers'

export interface Answer {
  /** 0 where the connection ended without an answer. */
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

/** Longer than any answer of a node that lives; one that was stopped must not hold a client for ever. */
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

/** Connections are kept, as those of a real client; `end` closes them. */
export function createAsker() {
  const agent = new http.Agent({ keepAlive: true })
  return {
    ask: (one: Ask): Promise<Answer> => ask(agent, one).catch(() => nobody),
    end: (): void => agent.destroy(),
  }
}

export type Asker = ReturnType<typeof createAsker>

/** What a node may answer that is stopped, started, or without its database: what became of the write nobody knows. */
export const isUnknown = ({ status }: Answer): boolean => [0, 502, 503, 504].includes(status)
