// How long one response of the other server may take: ends a connection on which nothing comes, or too little.

/** So long nothing has to come before the connection counts as dead. */
export const silenceMs = 120_000
/** And over the whole response: so long, and a second for each of so many bytes that came. */
export const bytesPerSecond = 4 * 1024

const tooSlow = (): Error => new Error('it sent less than 4 kB a second')

export interface SilenceTimes {
  /** For tests. */
  readonly quietMs?: number
}

/** Of one response, from the moment it is asked for. */
export function createSilence(stopped: AbortSignal, { quietMs = silenceMs }: SilenceTimes = {}) {
  const controller = new AbortController()
  const seconds = Math.round(quietMs / 1_000)
  const give = (): void => controller.abort(new Error(`it sent nothing for ${seconds} seconds`))
  const timer = setTimeout(give, quietMs)
  const begunAt = performance.now()
  let received = 0

  function count(bytes: number): void {
    received += bytes
    const allowedMs = quietMs + (received / bytesPerSecond) * 1_000
    if (performance.now() - begunAt > allowedMs) throw tooSlow()
  }

  return {
    signal: AbortSignal.any([stopped, controller.signal]),
    end: (): void => clearTimeout(timer),
    body: async function* (response: Response): AsyncGenerator<Uint8Array, void> {
      try {
        for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
          count(chunk.length)
          timer.refresh()
          yield chunk
        }
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
