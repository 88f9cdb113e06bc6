// Timeouts for a response of the other server: aborts a connection that is silent or too slow.

/** A connection counts as dead after this long without data. */
export const silenceMs = 120_000
/** Limit for the whole response: the silence timeout, plus a second for every so many bytes received. */
export const bytesPerSecond = 4 * 1024

const tooSlow = (): Error => new Error('it sent less than 4 kB a second')

export interface SilenceTimes {
  /** For tests. */
  readonly quietMs?: number
}

/** For one response, starting with the request. */
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
