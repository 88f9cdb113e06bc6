// Sends the requests of `waymark verify`: one at a time, with limits on time and size, and without following redirects.
import { setTimeout as pause } from 'node:timers/promises'
import { isSystemError } from '../failures.ts'
import { plainFetch } from '../remote/plain-fetch.ts'
import { isRecord, readJsonAnswer, type Answer } from './readings.ts'

export interface Question {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  /** Relative to the base URL, or to the URL of the image handler with `isOfImageHandler`. */
  readonly path: string
  readonly isOfImageHandler?: true
  readonly query?: Readonly<Record<string, string>>
  /** How the request is described, if the path is not enough. */
  readonly credential?: 'key' | 'token' | 'made-up-key' | 'made-up-token'
  readonly accept?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  /** Media type of the body. */
  readonly type?: string
  /** Maximum size of the response in bytes. */
  readonly maxBytes?: number
}

export interface AskerOptions {
  readonly baseUrl: string
  readonly imageHandlerUrl: string
  readonly apiKey: string | undefined
  /** A valid access token: renewed when it expires. */
  readonly token: (() => Promise<string>) | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export const maxListBytes = 64 * 1024 * 1024
export const maxPhotoBytes = 16 * 1024 * 1024
/** A longer wait is too long for a person at a terminal. */
const maxPauseMs = 10_000
const madeUp = 'made-up-by-waymark-verify'

/** No response, or an unreadable one: a check fails with this sentence. */
export function isNoAnswer(error: unknown): error is Error & { readonly asked: string } {
  return error instanceof Error && 'noAnswer' in error
}

const noAnswer = (asked: string, seen: string): Error =>
  Object.assign(new Error(seen), { asked, noAnswer: true })

/** The server limits requests, so its response says nothing about the check. */
export const isLimited = (error: unknown): boolean => isNoAnswer(error) && 'limited' in error

const limited = (asked: string, { headers }: Answer): Error => {
  const wait = headers.get('retry-after')
  const seen = `the server is limiting requests (429)${wait === null ? '' : ` and asks to wait ${wait} s`}`
  return Object.assign(noAnswer(asked, seen), { limited: true })
}

const words = {
  key: ' with the API key',
  token: ' with the token',
  'made-up-key': ' with an invalid API key',
  'made-up-token': ' with an invalid token',
} as const

function askedOf({
  method = 'GET',
  path,
  query = {},
  isOfImageHandler,
  credential,
  accept,
}: Question): string {
  const text = new URLSearchParams(query).toString()
  const place = `${isOfImageHandler ? 'ImageHandler' : ''}${path}${text === '' ? '' : `?${text}`}`
  const format = accept?.includes('xml') ? ' for XML' : ''
  return `${method} ${place}${format}${credential === undefined ? '' : words[credential]}`
}

/** @returns why it failed, as the end of a sentence. */
function faultOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'EPROTO') return 'it does not speak TLS'
  if (isSystemError(error) || (error instanceof Error && 'code' in error))
    return `the connection failed (${error.message})`
  return error instanceof Error ? error.message : String(error)
}

async function bodyOf(answer: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > maxBytes)
      throw Object.assign(new Error(`the response is larger than ${maxBytes / 1_048_576} MB`), {
        isLong: true,
      })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** How long the server asks to wait, if it does and that is not too long. */
function pauseOf({ status, headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const isBusy = (status === 429 || status === 503) && Number.isFinite(seconds)
  return isBusy && seconds * 1_000 <= maxPauseMs ? Math.max(seconds, 1) * 1_000 : undefined
}

export function createAsker(options: AskerOptions) {
  const { baseUrl, imageHandlerUrl, apiKey, token, timeoutMs } = options
  /** Consecutive requests without a response. */
  let silences = 0

  async function credentialOf(
    credential: Question['credential'],
  ): Promise<{ query?: { api_key: string }; headers?: { authorization: string } }> {
    if (credential === 'key') return { query: { api_key: apiKey ?? '' } }
    if (credential === 'made-up-key') return { query: { api_key: madeUp } }
    if (credential === 'token') return { headers: { authorization: `Bearer ${(await token?.()) ?? ''}` } }
    return credential === 'made-up-token' ? { headers: { authorization: `Bearer ${madeUp}` } } : {}
  }

  async function send(question: Question, asked: string, signal: AbortSignal): Promise<Answer | number> {
    const { isOfImageHandler, path, credential, body, type, maxBytes = maxListBytes } = question
    const own = await credentialOf(credential)
    const query = new URLSearchParams({ ...question.query, ...own.query }).toString()
    const place = `${isOfImageHandler ? imageHandlerUrl : baseUrl}${path}`
    const sent = typeof body === 'string' ? Buffer.from(body) : body
    const limit = AbortSignal.timeout(timeoutMs)
    const limited = AbortSignal.any([signal, limit])
    try {
      const answer = await plainFetch(query === '' ? place : `${place}?${query}`, {
        method: question.method ?? 'GET',
        headers: {
          accept: question.accept ?? 'application/json',
          ...(type !== undefined && { 'content-type': type }),
          ...question.headers,
          ...own.headers,
        },
        ...(sent !== undefined && { body: new Blob([sent]) }),
        signal: limited,
      })
      const pauseMs = pauseOf(answer)
      const bytes = await bodyOf(answer, maxBytes)
      if (pauseMs !== undefined) return pauseMs
      silences = 0
      const { status, headers } = answer
      const [essence = ''] = (headers.get('content-type') ?? '').split(';')
      return {
        asked,
        status,
        headers,
        bytes,
        text: bytes.toString('utf8'),
        type: essence.trim().toLowerCase(),
      }
    } catch (error) {
      signal.throwIfAborted()
      const isLong = error instanceof Error && 'isLong' in error // so it is not silent
      silences = isLong ? 0 : silences + 1
      const isLate = limit.aborted // Node reports it in several ways
      throw noAnswer(asked, isLate ? `no complete response within ${timeoutMs / 1_000} s` : faultOf(error))
    }
  }

  /** @param signal replaces that of the run, for cleaning up afterwards. */
  const ask = async (question: Question, signal: AbortSignal = options.signal): Promise<Answer> => {
    const asked = askedOf(question)
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const answer = await send(question, asked, signal)
      if (typeof answer !== 'number') {
        if (answer.status === 429) throw limited(asked, answer)
        return answer
      }
      await pause(answer, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
    silences += 1
    throw noAnswer(asked, 'the server was busy three times in a row (429 or 503)')
  }
  return Object.assign(ask, { silences: () => silences })
}

export type Ask = ReturnType<typeof createAsker>

/** The title of a problem document. */
function titleOf({ text, type }: Answer): string | undefined {
  if (type.endsWith('xml')) return /<title>([^<>]*)<\/title>/.exec(text)?.[1]
  const problem = readJsonAnswer({ text })
  return isRecord(problem) && typeof problem['title'] === 'string' ? problem['title'] : undefined
}

/** Describes a status and a body, short enough for a sentence. */
export function tell(answer: Answer): string {
  const { status, headers, text, type } = answer
  const location = headers.get('location')
  if (status >= 300 && status < 400 && location !== null) return `${status}, a redirect to ${location}`
  if (type === 'text/html') return `${status} and a web page`
  const shown =
    (status >= 400 ? titleOf(answer) : undefined) ?? text.slice(0, 1_000).trim().replaceAll(/\s+/g, ' ')
  if (shown === '') return `${status} and an empty body`
  return `${status} and "${shown.length > 100 ? `${shown.slice(0, 100)}…` : shown}"`
}
