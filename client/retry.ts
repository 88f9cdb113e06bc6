// When a request is retried, and after what delay (docs/interface.md: "Retrying an upload").
import { isUnreachable, isWaymarkProblem } from './problem.ts'

export interface RetryRules {
  /** Maximum number of retries. */
  readonly most: number
  /** Approximate delay before the first retry; doubles with each further one. */
  readonly firstWaitMs: number
  /** If the server asks for a longer wait, its error is thrown at once, with `retryAfterSeconds`. */
  readonly maxWaitSeconds: number
}

const standard: RetryRules = { most: 3, firstWaitMs: 300, maxWaitSeconds: 20 }

export function retryRules(chosen: number | Partial<RetryRules> | undefined): RetryRules {
  return typeof chosen === 'number' ? { ...standard, most: chosen } : { ...standard, ...chosen }
}

/** Refused before anything was done, so that even requests that are not idempotent may be retried. */
const refusedUndone: ReadonlySet<string> = new Set(['busy', 'read-only', 'issuer-unavailable'])
/** 503 errors that are permanent. */
const lasting: ReadonlySet<string> = new Set(['no-mail'])

/** `final`: a retry would fail in the same way. The others say whether the request may have taken effect. */
export type Failure = 'final' | 'refused-undone' | 'unknown-outcome'

export function failureOf(error: unknown): Failure {
  if (isUnreachable(error)) return error.mayBeDone ? 'unknown-outcome' : 'refused-undone'
  if (!isWaymarkProblem(error)) return 'final'
  const { status, code } = error
  if (status === 429) return 'refused-undone'
  if (status === 502 || status === 504) return 'unknown-outcome'
  if (status !== 503 || lasting.has(code)) return 'final'
  return refusedUndone.has(code) ? 'refused-undone' : 'unknown-outcome'
}

/** Node reports that no connection was made. Browsers do not, so the request may have been processed. */
export function wasNeverSent(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined
  const code: unknown =
    typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'
}

const maxBackoffMs = 10_000

/** Jitter, so that many clients of a failed server do not all retry at the same time. */
export function backoffMs(attempt: number, firstWaitMs: number): number {
  const full = Math.min(maxBackoffMs, firstWaitMs * 2 ** attempt)
  return full / 2 + (Math.random() * full) / 2
}

/** How long to wait before the next attempt; undefined if the server asks for more than `maxWaitSeconds`. */
export function pauseMs(error: unknown, attempt: number, rules: RetryRules): number | undefined {
  const askedSeconds = (isWaymarkProblem(error) ? error.retryAfterSeconds : undefined) ?? 0
  if (askedSeconds > rules.maxWaitSeconds) return undefined
  return askedSeconds * 1_000 + backoffMs(attempt, rules.firstWaitMs)
}

/** @throws the signal's reason, as fetch does. */
export async function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason instanceof Error ? signal.reason : new Error('Aborted'))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
