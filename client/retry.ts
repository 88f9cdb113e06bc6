// When a request is sent again, and how long after (docs/interface.md: "Sending an upload again").
import { isUnreachable, isWaymarkProblem } from './problem.ts'

export interface RetryRules {
  /** How often a request is sent again at most. */
  readonly most: number
  /** Before the second attempt, about; every further one waits twice as long. */
  readonly firstWaitMs: number
  /** Where the server asks to wait longer, its refusal is thrown at once, with `retryAfterSeconds`. */
  readonly maxWaitSeconds: number
}

const standard: RetryRules = { most: 3, firstWaitMs: 300, maxWaitSeconds: 20 }

export function retryRules(chosen: number | Partial<RetryRules> | undefined): RetryRules {
  return typeof chosen === 'number' ? { ...standard, most: chosen } : { ...standard, ...chosen }
}

/** Refused before anything was done, so that even what must not be done twice may be sent again. */
const refusedUndone: ReadonlySet<string> = new Set(['busy', 'read-only', 'issuer-unavailable'])
/** 503 that no waiting mends. */
const lasting: ReadonlySet<string> = new Set(['no-mail'])

/** `final`: another attempt would end the same way. Otherwise it is the question whether this one took effect. */
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

/** Node tells where no connection came about; a browser tells nothing, and the request may have been done. */
export function wasNeverSent(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined
  const code: unknown =
    typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'
}

const maxBackoffMs = 10_000

/** Jitter keeps many clients of one broken server from coming back in step. */
export function backoffMs(attempt: number, firstWaitMs: number): number {
  const full = Math.min(maxBackoffMs, firstWaitMs * 2 ** attempt)
  return full / 2 + (Math.random() * full) / 2
}

/** How long to wait before the next attempt; undefined where the server asks for more patience than there is. */
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
