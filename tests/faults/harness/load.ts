// Clients that upload as fast as the server responds, and a ledger of acknowledged uploads.
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { trailId } from './installation.ts'
import { sha256Of, smallPng } from './pictures.ts'

/** An upload answered with 201. From then on, it must not be lost. */
export interface Acknowledged {
  readonly imageId: number
  /** Of the original. */
  readonly sha256: string
  /** The picture can be generated again from it. */
  readonly seed: number
  /** When the response was complete (performance.now()). */
  readonly answeredAt: number
}

export interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: http.IncomingHttpHeaders
}

export interface Upload {
  readonly url: string
  readonly token: string
  readonly bytes: Uint8Array
  readonly agent?: http.Agent | false
}

/**
 * Sends one upload.
 * @throws if the connection ends before the response is complete.
 */
export async function upload({ url, token, bytes, agent = false }: Upload): Promise<Answer> {
  const request = http.request(`${url}/Trails/${trailId}/Images`, {
    method: 'POST',
    agent,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'image/png',
      'content-length': bytes.length,
    },
  })
  const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
  })
  request.end(bytes)
  const response = await answered
  return { status: response.statusCode ?? 0, body: await text(response), headers: response.headers }
}

export interface LoadOptions {
  readonly url: string
  /** A function is called before each upload, for tokens that change. */
  readonly token: string | (() => string)
  readonly clients: number
  /** First seed of this load; each upload takes the next. */
  readonly firstSeed: number
  readonly pictureOf?: (seed: number) => Uint8Array
}

export interface Load {
  readonly acknowledged: Acknowledged[]
  /** Refusals by status, and missing responses under 0. */
  readonly others: Map<number, number>
  /** Number of seeds used, acknowledged or not. */
  used(): number
  /** Starts no more uploads, and waits for those in flight. */
  stop(): Promise<void>
}

/** Starts the clients immediately. */
export function startLoad({ url, token, clients, firstSeed, pictureOf = smallPng }: LoadOptions): Load {
  const acknowledged: Acknowledged[] = []
  const others = new Map<number, number>()
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients })
  let seed = firstSeed
  const stopping = new AbortController()

  async function uploadNext(): Promise<boolean> {
    const own = seed
    seed += 1
    const bytes = pictureOf(own)
    let status = 0
    try {
      const answer = await upload({ url, token: typeof token === 'string' ? token : token(), bytes, agent })
      const answeredAt = performance.now()
      status = answer.status
      if (status === 201) {
        acknowledged.push({ imageId: Number(answer.body), sha256: sha256Of(bytes), seed: own, answeredAt })
        return true
      }
    } catch {
      // The server is gone, and the result of this upload is unknown.
    }
    others.set(status, (others.get(status) ?? 0) + 1)
    return status !== 0
  }

  async function client(): Promise<void> {
    while (!stopping.signal.aborted) if (!(await uploadNext())) return
  }

  const running = Array.from({ length: clients }, client)
  return {
    acknowledged,
    others,
    used: () => seed - firstSeed,
    stop: async () => {
      stopping.abort()
      await Promise.all(running)
      agent.destroy()
    },
  }
}
