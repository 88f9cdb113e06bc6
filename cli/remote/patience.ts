// Shared wait for all uploads when the server asks for one with Retry-After.
import { isUnreachable, isWaymarkProblem } from '../../client/client.ts'
import { backoffMs, failureOf, wait } from '../../client/retry.ts'

/** Without a Retry-After: about a second at first, doubled after each failure, up to ten seconds. */
const firstWaitMs = 1_000

export interface PatienceOptions {
  /** Gives up after this long without any success. */
  readonly maxWaitMs: number
  readonly signal: AbortSignal
  /** Called for each wait, with its length and the reason. */
  readonly onWait: (seconds: number, why: string) => void
}

const whyOf = (error: unknown): string =>
  isWaymarkProblem(error) ? (error.detail ?? `${error.title}.`) : 'The server cannot be reached.'

export function createPatience({ maxWaitMs, signal, onWait }: PatienceOptions) {
  /** Nothing is sent before this time. */
  let notBefore = 0
  let lastSuccess: number | undefined
  let failures = 0

  async function waitForTurn(): Promise<void> {
    for (;;) {
      const left = notBefore - performance.now()
      if (left <= 0) return
      await wait(left, signal)
    }
  }

  /** @returns whether waiting makes sense. */
  function postpone(error: unknown): boolean {
    if (failureOf(error) === 'final') return false
    if (isUnreachable(error) && lastSuccess === undefined) return false // so that a wrong URL is reported at once
    const now = performance.now()
    const asked = isWaymarkProblem(error) ? error.retryAfterSeconds : undefined
    const pause = asked === undefined ? backoffMs(failures, firstWaitMs) : asked * 1_000
    failures += 1
    lastSuccess ??= now
    if (now + pause - lastSuccess > maxWaitMs) return false
    if (now + pause <= notBefore) return true
    notBefore = now + pause
    onWait(Math.ceil(pause / 1_000), whyOf(error))
    return true
  }

  return {
    /** Runs the work, which must be safe to repeat, until it succeeds or waiting makes no difference. */
    until: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      for (;;) {
        await waitForTurn()
        try {
          const result = await work()
          lastSuccess = performance.now()
          failures = 0
          return result
        } catch (error) {
          signal.throwIfAborted()
          if (!postpone(error)) throw error
        }
      }
    },
  }
}

export type Patience = ReturnType<typeof createPatience>
