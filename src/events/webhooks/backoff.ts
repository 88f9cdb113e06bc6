// When a delivery that failed is tried again.

/** Up to 20 % of jitter, so that deliveries that failed together are not retried together. */
const jitter = 0.2

export interface Failed {
  /** How often it was tried by now. */
  readonly attempts: number
  readonly retryAfterMs?: number | undefined
}

/** @returns how long to wait, or undefined to give up. */
export function waitAfter(
  { attempts, retryAfterMs = 0 }: Failed,
  backoffSeconds: readonly number[],
  random: () => number = Math.random,
): number | undefined {
  const seconds = backoffSeconds[attempts - 1]
  if (seconds === undefined) return undefined
  return Math.max(Math.round(seconds * 1_000 * (1 + jitter * random())), retryAfterMs)
}
