// Clients that create small routes as fast as the server responds, and a ledger of acknowledged routes.
import http from 'node:http'
import { text } from 'node:stream/consumers'

export interface RouteLoadOptions {
  readonly url: string
  readonly token: string
  readonly accountId: number
  readonly clients: number
}

const gpxOf = (seed: number): string =>
  `<gpx version="1.1" creator="waymark" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg><trkpt lat="45.${seed % 1_000}" lon="7"/><trkpt lat="45.5" lon="7.${seed % 997}"/></trkseg></trk></gpx>`

export function startRouteLoad({ url, token, accountId, clients }: RouteLoadOptions) {
  /** Ids with the names sent. */
  const acknowledged = new Map<number, string>()
  /** Refusals by status, and missing responses under 0. */
  const others = new Map<number, number>()
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients })
  const stopping = new AbortController()
  const set = `${url}/Accounts/${accountId}/Routes`
  let seed = 0

  async function ask(
    method: string,
    address: string,
    body?: string,
  ): Promise<{ status: number; body: string }> {
    const request = http.request(address, {
      method,
      agent,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      },
    })
    const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
      request.once('response', resolve)
      request.once('error', reject)
    })
    request.end(body)
    const response = await answered
    return { status: response.statusCode ?? 0, body: await text(response) }
  }

  async function keepNext(): Promise<void> {
    seed += 1
    const name = `Route ${seed}`
    const sent = JSON.stringify({ name, gpx: gpxOf(seed) })
    const { status, body } = await ask('POST', set, sent).catch(() => ({ status: 0, body: '' }))
    if (status === 201) acknowledged.set(Number(body), name)
    else others.set(status, (others.get(status) ?? 0) + 1)
  }

  async function go(): Promise<void> {
    while (!stopping.signal.aborted) await keepNext()
  }

  const running = Array.from({ length: clients }, go)
  return {
    acknowledged,
    others,
    stop: async (): Promise<void> => {
      stopping.abort()
      await Promise.all(running)
    },
    /** A sentence for each acknowledged route that is missing or different, here or on another node. */
    findLost: async (at = url): Promise<string[]> => {
      const lost: string[] = []
      const left = [...acknowledged]
      const look = async (): Promise<void> => {
        for (let one = left.pop(); one !== undefined; one = left.pop()) {
          const [id, name] = one
          const { status, body } = await ask('GET', `${at}/Accounts/${accountId}/Routes/${id}`)
          const found = status === 200 ? (JSON.parse(body) as { name: string }).name : undefined
          if (found !== name) lost.push(`route ${id}: ${status} ${found ?? ''}`)
        }
      }
      await Promise.all(Array.from({ length: clients }, look))
      agent.destroy()
      return lost
    },
  }
}
