// Requests to the other server: one at a time, within the given rate, and retried after errors with growing delays.
// All requests only read.
import { setTimeout as pause } from 'node:timers/promises'
import type { Fetch } from '../../client/client.ts'
import { fail } from '../failures.ts'
import { leadsInside } from './redirects.ts'
import { createSilence, type SilenceTimes } from './silence.ts'

const firstPauseMs = 500
const maxPauseMs = 60_000
/** Maximum number of attempts. */
const maxFaults = 6
/** How often the other server may ask for a pause, and the longest pause that is accepted. */
const maxPauses = 30
const maxRetryAfterMs = 900_000
const maxRedirects = 5
/** The slowest rate that 429 responses lead to. */
const maxIntervalMs = 8_000
/** Factor by which each response restores the given rate. */
const recovery = 0.9

export interface Asking {
  readonly url: URL
  readonly accept: string
  readonly bearer?: string
  /** GET, unless only the headers matter. */
  readonly method?: 'GET' | 'HEAD'
}

/** A 200 response. */
export interface Incoming {
  readonly headers: Headers
  readonly body: AsyncIterable<Uint8Array>
}

/** The result; the reader of the body may throw `bodyFault` if the body is not valid. */
export type Answered<T> =
  | { readonly how: 'taken'; readonly value: T }
  | { readonly how: 'status'; readonly status: number; readonly text: string }
  /** All attempts failed; this is the last error. */
  | { readonly how: 'unanswered'; readonly why: string }

/** The body is not what was announced, for example because the connection broke. It is requested again. */
export const bodyFault = (why: string): Error => Object.assign(new Error(why), { isBodyFault: true })

/** A retry would make no difference. */
const finalFault = (why: string): Error => Object.assign(new Error(why), { isFinal: true })

const isFinalFault = (error: unknown): error is Error => error instanceof Error && 'isFinal' in error

/** Only the server and the path: a query may contain the API key. */
export const placeOf = ({ protocol, host, pathname }: URL): string => `${protocol}//${host}${pathname}`

/** The server cannot be reached, so further requests would fail as well. */
const unconnected: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
])

const isUnconnected = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && unconnected.has(error.code)

export interface AskerOptions extends SilenceTimes {
  readonly request: Fetch
  /** Requests per second. */
  readonly rate: number
  readonly signal: AbortSignal
  readonly now: () => number
  /** Called for each noticeable pause, to inform the user. */
  readonly onPause: (ms: number, why: string) => void
}

function retryAfterMs(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (value === undefined || value === '') return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0)
}

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)
const asksToWait = (status: number): boolean => status === 429 || status === 503
const isFault = (status: number): boolean => status >= 500 || status === 408

/** The start of an error, for a message. */
async function shortText({ body }: Incoming): Promise<string> {
  let text = ''
  try {
    const decoder = new TextDecoder()
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true })
      if (text.length > 2_000) break
    }
  } catch {
    return text // the status is enough
  }
  return text
}

/** A body that is not read would keep the process alive until its time is up. */
async function taken<T>(
  incoming: Incoming & { readonly drop: () => Promise<void> },
  take: (incoming: Incoming) => Promise<T>,
): Promise<T> {
  try {
    return await take(incoming)
  } finally {
    await incoming.drop()
  }
}

export function createAsker({ request, rate, signal, now, onPause, ...times }: AskerOptions) {
  let intervalMs = 1_000 / rate
  let nextAt = 0
  let requests = 0

  async function wait(ms: number, why: string): Promise<void> {
    if (ms > 1_500) onPause(ms, why)
    await pause(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
  }

  /** One at a time, at the given rate. */
  async function turn(): Promise<void> {
    signal.throwIfAborted()
    const ms = nextAt - performance.now()
    if (ms > 0) await wait(ms, '')
    nextAt = performance.now() + intervalMs
    requests += 1
  }

  async function send({
    url,
    accept,
    bearer,
    method = 'GET',
  }: Asking): Promise<Incoming & { readonly status: number; readonly drop: () => Promise<void> }> {
    let target = url
    for (let hops = 0; ; hops += 1) {
      await turn()
      const silence = createSilence(signal, times)
      const isSame = target.origin === url.origin
      const response = await request(target.href, {
        method,
        headers: { accept, ...(bearer !== undefined && isSame && { authorization: `Bearer ${bearer}` }) },
        signal: silence.signal,
      }).catch((error: unknown) => {
        silence.end()
        // An error from a redirect target may concern only this photo's server.
        throw isSame || !isUnconnected(error) ? error : new Error(`${placeOf(target)} cannot be reached`)
      })
      const { status, headers } = response
      const location = headers.get('location')
      if (!isRedirect(status) || location === null) {
        const drop = async (): Promise<void> => {
          silence.end()
          if (!response.bodyUsed) await response.body?.cancel().catch(() => undefined) // broken already
        }
        return { status, headers, body: silence.body(response), drop }
      }
      silence.end()
      await response.body?.cancel()
      const next = URL.parse(location, target.href)
      // A credential is only for the server it was given for, and not for any server that it redirects to.
      const isSecret = bearer !== undefined || url.searchParams.has('api_key')
      const isElsewhere = next?.origin !== url.origin
      if (next && hops < maxRedirects && /^https?:$/.test(next.protocol) && !(isSecret && isElsewhere)) {
        if (isElsewhere && (await leadsInside(next, url)))
          throw finalFault(`it redirects into a private network, to ${placeOf(next)}`)
        target = next
        continue
      }
      const where = next ? placeOf(next) : 'nowhere'
      if (!isSecret) throw finalFault(`it redirects to ${where}`)
      throw fail('refused', `${placeOf(target)} redirects to ${where}: use the address of that server.`)
    }
  }

  const isOwn = (error: unknown): boolean => error instanceof Error && 'failureCode' in error

  return {
    requests: (): number => requests,

    /**
     * Retries, within limits, until there is a response.
     * @param take reads the body of a 200.
     * @throws if the pull is stopped, the server asks for too long a pause, it redirects to another host, or `take`
     * throws a failure.
     */
    ask: async <T>(asking: Asking, take: (incoming: Incoming) => Promise<T>): Promise<Answered<T>> => {
      let pauseMs = firstPauseMs
      let why = ''
      let pauses = 0
      for (let faults = 0; faults < maxFaults;) {
        try {
          const incoming = await send(asking)
          const { status, headers } = incoming
          if (status === 200) {
            const value = await taken(incoming, take)
            intervalMs = Math.max(intervalMs * recovery, 1_000 / rate)
            return { how: 'taken', value }
          }
          const text = await shortText(incoming)
          if (!asksToWait(status) && !isFault(status)) return { how: 'status', status, text }
          why = `it answered ${status}`
          const askedMs = asksToWait(status) ? retryAfterMs(headers, now()) : undefined
          if (askedMs !== undefined && askedMs > maxRetryAfterMs)
            throw fail(
              'unreachable',
              `${placeOf(asking.url)} asks to wait ${Math.ceil(askedMs / 60_000)} minutes: run the same command again then, and it continues where it stopped.`,
            )
          if (status === 429) intervalMs = Math.min(intervalMs * 2, Math.max(maxIntervalMs, 1_000 / rate))
          if (askedMs === undefined || pauses >= maxPauses) faults += 1
          else {
            pauses += 1
            await wait(askedMs, why)
            continue
          }
        } catch (error) {
          signal.throwIfAborted()
          if (isOwn(error)) throw error
          if (isFinalFault(error)) return { how: 'unanswered', why: error.message }
          faults += 1
          why = error instanceof Error ? error.message : String(error)
          if (faults === maxFaults && isUnconnected(error))
            throw fail(
              'unreachable',
              `${placeOf(asking.url)} cannot be reached (${why}): run the same command again, and it continues where it stopped.`,
            )
        }
        if (faults < maxFaults) await wait(pauseMs, why)
        pauseMs = Math.min(pauseMs * 2, maxPauseMs)
      }
      return { how: 'unanswered', why }
    },
  }
}

export type Asker = ReturnType<typeof createAsker>

/** The body as a stream. @throws bodyFault if it is shorter than announced. */
export async function* wholeBody({ headers, body }: Incoming): AsyncGenerator<Uint8Array, void> {
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    yield chunk
  }
  const declared = headers.get('content-length')
  if (declared !== null && Number(declared) !== length)
    throw bodyFault(`it sent ${length} of ${declared} bytes`)
}

/** The whole body, or undefined if it is longer than allowed. @throws if it is cut off. */
export async function takeBytes(incoming: Incoming, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of wholeBody(incoming)) {
    length += chunk.length
    if (length > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
