// A single request: URL, credential, body, and retries until there is a response or a problem.
import { createProblem, createUnreachable, isUnreachable, isWaymarkProblem, problemFrom } from './problem.ts'
import { failureOf, pauseMs, retryRules, wait, wasNeverSent, type RetryRules } from './retry.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>
export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * The caller's credential. A function returns the bearer token for each request. It gets a token that the server has
 * just refused; if it then returns a different one, the request is sent once more.
 */
export type Credential =
  | { readonly bearer: string | ((asked: { refused?: string }) => Promise<string>) }
  | { readonly apiKey: string }
  /** The session cookie of the signed-in user, for pages of the same site. */
  | 'session'

export interface WaymarkOptions {
  /** The base URL of the service, such as https://trails.example; '' in pages of the same site. */
  readonly baseUrl: string
  /** Omit it for what needs no credential, such as `site()`, public routes and photo URLs. */
  readonly credential?: Credential | undefined
  readonly fetch?: Fetch | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Number of retries, 3 by default, 0 for none; or the full retry rules. */
  readonly retries?: number | Partial<RetryRules> | undefined
  /**
   * Timeout of each attempt, until its response has been read; then it counts as unreachable and is retried. None by
   * default. Does not apply to file uploads and event streams.
   */
  readonly timeoutSeconds?: number | undefined
}

export type QueryValue = string | number | boolean | Date | readonly (string | number)[] | null | undefined
export type Query = Readonly<Record<string, QueryValue>>

/** The last parameter of every function. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

export interface RequestOptions extends CallOptions {
  readonly query?: Query | undefined
  /** Sent as JSON, except FormData, Blob, URLSearchParams and bytes, which are sent as they are. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The ETag that was read: the change is refused with 412 if the resource has changed since. */
  readonly ifMatch?: string | undefined
  /** For a POST; generated if omitted, and the same for every attempt. */
  readonly idempotencyKey?: string | undefined
  /**
   * Whether the request may be retried if its outcome is unknown. Default: yes, except for a POST without your own
   * `idempotencyKey`, because not every POST endpoint supports the key.
   */
  readonly isRepeatable?: boolean | undefined
  /** Overrides the settings of `createWaymark`. */
  readonly retries?: number | undefined
  /** How to read the response; 'json' by default. 'response' returns it unread. */
  readonly as?: 'json' | 'text' | 'response' | undefined
  /** Sends this request instead of fetch. */
  readonly sendWith?: Fetch | undefined
}

export interface Answer<Data> {
  readonly data: Data
  /** For `ifMatch`. */
  readonly etag: string | undefined
  readonly headers: Headers
  readonly status: number
}

interface Attempt extends Pick<RequestOptions, 'as' | 'sendWith'> {
  readonly token: string | undefined
}

export interface Transport {
  /** Any request, with the credential, retries and problems of all other functions. */
  request<Data>(method: Method, path: string, options?: RequestOptions): Promise<Data>
  /** The same, with status, headers and ETag. */
  send<Data>(method: Method, path: string, options?: RequestOptions): Promise<Answer<Data>>
  /** The full URL of a path. */
  urlOf(path: string, query?: Query): string
  readonly fetch: Fetch
  /** Whether the caller supplied a fetch function. */
  readonly hasOwnFetch: boolean
  readonly rules: RetryRules
}

function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined || value === null) return []
    const text = value instanceof Date ? value.toISOString() : String(value) // a list becomes a,b,c
    return [[name, text] as [string, string]]
  })
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

/** Not crypto.randomUUID: browsers have it over https only, and a local site may use http. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

function isSentAsIs(body: unknown): body is NonNullable<RequestInit['body']> {
  return (
    body instanceof FormData ||
    body instanceof Blob ||
    body instanceof URLSearchParams ||
    body instanceof ArrayBuffer ||
    ArrayBuffer.isView(body)
  )
}

/** @throws WaymarkProblem `unreadable-answer` if a proxy answered instead of the server. */
function jsonIn(text: string, status: number): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    const detail =
      'It is not JSON: something between here and the server may have answered, such as the sign-in page of a network.'
    throw createProblem({ status, code: 'unreadable-answer', title: 'The answer could not be read', detail })
  }
}

export function createTransport(options: WaymarkOptions): Transport {
  const { credential, headers: commonHeaders } = options
  const base = options.baseUrl.replace(/\/+$/, '')
  const rules = retryRules(options.retries)
  const timeLimit = (): AbortSignal[] =>
    options.timeoutSeconds === undefined ? [] : [AbortSignal.timeout(options.timeoutSeconds * 1_000)]
  const ownFetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))

  const urlOf = (path: string, query: Query = {}): string => `${base}${path}${queryText(query)}`

  function initOf(method: Method, request: RequestOptions, idempotencyKey: string): RequestInit {
    const headers = new Headers(commonHeaders)
    if (request.as !== 'text') headers.set('accept', 'application/json')
    else headers.set('accept', '*/*')
    for (const [name, value] of Object.entries(request.headers ?? {})) headers.set(name, value)
    if (request.ifMatch !== undefined) headers.set('if-match', request.ifMatch)
    if (method === 'POST') headers.set('idempotency-key', idempotencyKey)
    if (credential === 'session') headers.set('x-waymark-page', '1')
    else if (credential !== undefined && 'apiKey' in credential) headers.set('x-api-key', credential.apiKey)

    const { body, signal } = request
    const init: RequestInit = {
      method,
      headers,
      credentials: credential === 'session' ? 'same-origin' : 'omit',
      redirect: 'error', // the API never redirects, and following one would send the credential elsewhere
    }
    if (signal) init.signal = signal
    if (body === undefined) return init
    if (isSentAsIs(body)) return { ...init, body }
    if (!headers.has('content-type')) headers.set('content-type', 'application/json')
    return { ...init, body: typeof body === 'string' ? body : JSON.stringify(body) }
  }

  async function bearerFor(refused: string | undefined): Promise<string | undefined> {
    if (credential === undefined || credential === 'session' || !('bearer' in credential)) return undefined
    const { bearer } = credential
    return typeof bearer === 'string' ? bearer : bearer(refused === undefined ? {} : { refused })
  }

  /** @throws WaymarkUnreachable, or the signal's reason. */
  async function reaching<Result>(
    signal: RequestInit['signal'],
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      signal?.throwIfAborted()
      throw createUnreachable(error, { mayBeDone: !wasNeverSent(error) })
    }
  }

  /** One attempt. @throws WaymarkProblem, WaymarkUnreachable, or the signal's reason. */
  async function attempt<Data>(
    url: string,
    init: RequestInit,
    { as, sendWith = ownFetch, token }: Attempt,
  ): Promise<Answer<Data>> {
    const signals = [init.signal ?? [], as === 'response' || isSentAsIs(init.body) ? [] : timeLimit()].flat()
    const signal = signals.length > 1 ? AbortSignal.any(signals) : (signals[0] ?? null)
    const sendAs = (bearer: string | undefined): Promise<Response> => {
      const headers = new Headers(init.headers)
      if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`)
      return reaching(init.signal, () => sendWith(url, { ...init, headers, signal }))
    }
    let answer = await sendAs(token)
    if (answer.status === 401 && token !== undefined) {
      const other = await bearerFor(token)
      if (other !== token) {
        await answer.body?.cancel() // otherwise the connection stays open until the body is read
        answer = await sendAs(other)
      }
    }
    if (!answer.ok) throw await problemFrom(answer)
    const { headers, status } = answer
    const text = as === 'response' ? '' : await reaching(init.signal, () => answer.text())
    const whole = as === 'response' ? answer : text
    const data = as === undefined || as === 'json' ? jsonIn(text, status) : whole
    return { data: data as Data, etag: headers.get('etag') ?? undefined, headers, status }
  }

  async function send<Data>(
    method: Method,
    path: string,
    request: RequestOptions = {},
  ): Promise<Answer<Data>> {
    const { query, signal, as, sendWith, idempotencyKey, retries: most = rules.most } = request
    const isRepeatable = request.isRepeatable ?? (method !== 'POST' || idempotencyKey !== undefined)
    const init = initOf(method, request, idempotencyKey ?? randomKey())
    const url = urlOf(path, query)
    let mayBeDone = false
    for (let attempts = 0; ; attempts += 1) {
      const token = await bearerFor(undefined) // its errors are not retried with this request
      try {
        return await attempt<Data>(url, init, { as, sendWith, token })
      } catch (error) {
        signal?.throwIfAborted()
        // If an earlier attempt deleted it and the response was lost, it is deleted.
        if (mayBeDone && method === 'DELETE' && isWaymarkProblem(error) && error.status === 404)
          return { data: undefined as Data, etag: undefined, headers: new Headers(), status: 204 }
        const failure = failureOf(error)
        mayBeDone ||= failure === 'unknown-outcome'
        const isLast = attempts >= most || failure === 'final' || (mayBeDone && !isRepeatable)
        const pause = isLast ? undefined : pauseMs(error, attempts, rules)
        if (pause === undefined)
          throw isUnreachable(error) ? createUnreachable(error.cause, { mayBeDone }) : error
        await wait(pause, signal)
      }
    }
  }

  return {
    send,
    request: async <Data>(method: Method, path: string, request?: RequestOptions) =>
      (await send<Data>(method, path, request)).data,
    urlOf,
    fetch: ownFetch,
    hasOwnFetch: options.fetch !== undefined,
    rules,
  }
}
