// What goes wrong, as plain Errors with fields: a problem that the server told, and a server that could not be reached.

/** A refusal of the server, as its problem document tells it (RFC 9457). Made by `problemFrom`, known by `isWaymarkProblem`. */
export interface WaymarkProblem extends Error {
  readonly name: 'WaymarkProblem'
  readonly status: number
  /** The last segment of the document's type, such as `invalid-trail-id`; `http-502` where no document came. */
  readonly code: string
  /** Always the same for the same code. */
  readonly title: string
  /** One sentence about this very request. */
  readonly detail: string | undefined
  /** The request id, as the operator finds it in the log. */
  readonly instance: string | undefined
  /** When it makes sense to try again. */
  readonly retryAfterSeconds: number | undefined
  /** Of `events-gone`: which events are kept. */
  readonly kept: KeptEvents | undefined
}

/** The range of events that a server still has. */
export interface KeptEvents {
  /** Continue from the position before this one to get all events that are left. */
  readonly oldest: number
  /** Load the full lists, then continue from here, to miss nothing. */
  readonly newest: number
}

/** No answer came: no network, no server, or a connection that broke. `cause` is what the platform said. */
export interface WaymarkUnreachable extends Error {
  readonly name: 'WaymarkUnreachable'
  /** True where the request may have taken effect all the same: its answer, not itself, may be what was lost. */
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

/** Retry-After is in seconds, or a moment (RFC 9110, 10.2.3). */
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

/** Reads the body of an answer that is no success. A proxy's page of HTML becomes a problem too. */
export async function problemFrom(answer: Response): Promise<WaymarkProblem> {
  const { status } = answer
  const retryAfterSeconds = retryAfterOf(answer.headers, Date.now())
  const told = await readObject(answer)
  // OAuth endpoints have their own form of refusal (RFC 6749, 5.2).
  const oauthCode = textOf(told['error'])
  if (oauthCode !== undefined) {
    const detail = textOf(told['error_description'])
    return createProblem({ status, code: oauthCode, title: oauthCode, detail, retryAfterSeconds })
  }
  return createProblem({
    status,
    code: textOf(told['type'])?.split('/').at(-1) ?? `http-${status}`,
    title: textOf(told['title']) ?? `The server answered ${status}`,
    detail: textOf(told['detail']),
    instance: textOf(told['instance']),
    retryAfterSeconds,
    kept: keptOf(told['oldestPosition'], told['newestPosition']),
  })
}

async function readObject(answer: Response): Promise<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(await answer.text())
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {} // Whatever it is, its status tells enough.
  }
}
