// Errors as plain Error objects with fields: a problem reported by the server, or a server that could not be reached.

/**
 * An error response of the server, from its problem document (RFC 9457). Created by `problemFrom`; test with
 * `isWaymarkProblem`.
 */
export interface WaymarkProblem extends Error {
  readonly name: 'WaymarkProblem'
  readonly status: number
  /** The last segment of the document's type, such as `invalid-trail-id`; `http-502` if there was no document. */
  readonly code: string
  /** Always the same for a code. */
  readonly title: string
  /** One sentence about this request. */
  readonly detail: string | undefined
  /** The request ID, as in the operator's log. */
  readonly instance: string | undefined
  /** How long to wait before a retry. */
  readonly retryAfterSeconds: number | undefined
  /** For `events-gone`: which events are still stored. */
  readonly kept: KeptEvents | undefined
}

/** The range of events that the server still has. */
export interface KeptEvents {
  /** Continue after this position to get all remaining events. */
  readonly oldest: number
  /** Reload the full lists, then continue from here, to miss nothing. */
  readonly newest: number
}

/** No response: no network, no server, or a broken connection. `cause` is the platform's error. */
export interface WaymarkUnreachable extends Error {
  readonly name: 'WaymarkUnreachable'
  /** True if the request may have taken effect: perhaps only its response was lost. */
  readonly mayBeDone: boolean
}

export function isWaymarkProblem(error: unknown): error is WaymarkProblem {
  return error instanceof Error && error.name === 'WaymarkProblem'
}

export function isUnreachable(error: unknown): error is WaymarkUnreachable {
  return error instanceof Error && error.name === 'WaymarkUnreachable'
}

export interface ProblemFields {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly detail?: string | undefined
  readonly instance?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly kept?: KeptEvents | undefined
}

export function createProblem(fields: ProblemFields): WaymarkProblem {
  const { status, code, title, detail, instance, retryAfterSeconds, kept } = fields
  return Object.assign(new Error(detail === undefined ? title : `${title}: ${detail}`), {
    name: 'WaymarkProblem' as const,
    status,
    code,
    title,
    detail,
    instance,
    retryAfterSeconds,
    kept,
  })
}

export function createUnreachable(cause: unknown, options: { mayBeDone: boolean }): WaymarkUnreachable {
  return Object.assign(new Error('The server could not be reached', { cause }), {
    name: 'WaymarkUnreachable' as const,
    mayBeDone: options.mayBeDone,
  })
}

/** Retry-After is in seconds, or a date (RFC 9110, 10.2.3). */
export function retryAfterOf(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  if (/^\d+$/.test(text)) return Number(text)
  const until = Date.parse(text)
  return Number.isNaN(until) ? undefined : Math.max(0, Math.ceil((until - nowMs) / 1_000))
}

const keptOf = (oldest: unknown, newest: unknown): KeptEvents | undefined =>
  typeof oldest === 'number' && typeof newest === 'number' ? { oldest, newest } : undefined

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Reads the body of an error response. A proxy's HTML page becomes a problem, too. */
export async function problemFrom(answer: Response): Promise<WaymarkProblem> {
  const { status } = answer
  const retryAfterSeconds = retryAfterOf(answer.headers, Date.now())
  const problem = await readObject(answer)
  // OAuth endpoints have their own error format (RFC 6749, 5.2).
  const oauthCode = textOf(problem['error'])
  if (oauthCode !== undefined) {
    const detail = textOf(problem['error_description'])
    return createProblem({ status, code: oauthCode, title: oauthCode, detail, retryAfterSeconds })
  }
  return createProblem({
    status,
    code: textOf(problem['type'])?.split('/').at(-1) ?? `http-${status}`,
    title: textOf(problem['title']) ?? `The server answered ${status}`,
    detail: textOf(problem['detail']),
    instance: textOf(problem['instance']),
    retryAfterSeconds,
    kept: keptOf(problem['oldestPosition'], problem['newestPosition']),
  })
}

async function readObject(answer: Response): Promise<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(await answer.text())
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {} // The status is enough.
  }
}
