// Clients that keep sending requests during an outage, and record the responses.
import { setTimeout as pause } from 'node:timers/promises'
import { smallPng } from '../faults/harness/pictures.ts'
import { waitedMsOf } from '../helpers/waited.ts'

export interface Reported {
  readonly what: string
  /** 0 if the connection closed without a response. */
  readonly status: number
  /** By performance.now(). */
  readonly begunAt: number
  readonly milliseconds: number
  /** Of this time, what other processes had of the processor while the server or its client was ready. */
  readonly waitedMs: number
  readonly retryAfter: string | null
}

export interface ProbeOptions {
  readonly url: string
  readonly token: string
  readonly trailId: number
  /** An existing image. */
  readonly imageId: number
  /** The server's process. */
  readonly pid?: number
}

/** Interval between two requests of a client. */
const everyMs = 100

/** Starts one client for each kind of request. `stop` waits for their last responses. */
export function startProbes({ url, token, trailId, imageId, pid = 0 }: ProbeOptions) {
  const reported: Reported[] = []
  const stopping = new AbortController()
  let seed = 5_000_000
  const waitedMs = (): number => waitedMsOf() + waitedMsOf(pid)
  const authorization = `Bearer ${token}`
  const asks: Readonly<Record<string, () => Promise<Response>>> = {
    live: () => fetch(`${url}/health/live`),
    ready: () => fetch(`${url}/health/ready`),
    details: () => fetch(`${url}/Trails/${trailId}/Images/${imageId}`, { headers: { authorization } }),
    list: () => fetch(`${url}/v2/trails/${trailId}/images`, { headers: { authorization } }),
    change: () =>
      fetch(`${url}/v2/images/${imageId}`, {
        method: 'PATCH',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ title: `at ${(seed += 1)}` }),
      }),
    upload: () =>
      fetch(`${url}/Trails/${trailId}/Images`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'image/png' },
        body: smallPng((seed += 1)),
      }),
  }

  async function go(what: string, ask: () => Promise<Response>): Promise<void> {
    while (!stopping.signal.aborted) {
      const [begun, waited] = [performance.now(), waitedMs()]
      const [status, retryAfter] = await ask().then(
        async (answer) => {
          await answer.arrayBuffer()
          return [answer.status, answer.headers.get('retry-after')] as const
        },
        () => [0, null] as const,
      )
      const milliseconds = performance.now() - begun
      reported.push({
        what,
        status,
        retryAfter,
        begunAt: begun,
        milliseconds,
        waitedMs: waitedMs() - waited,
      })
      await pause(everyMs)
    }
  }

  const running = Object.entries(asks).map(([what, ask]) => go(what, ask))
  return {
    reported,
    /** Number of responses by kind, such as `upload 503`. */
    counts: (): Record<string, number> => {
      const counts: Record<string, number> = {}
      for (const { what, status } of reported)
        counts[`${what} ${status}`] = (counts[`${what} ${status}`] ?? 0) + 1
      return counts
    },
    stop: async (): Promise<void> => {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

export type Probes = ReturnType<typeof startProbes>
