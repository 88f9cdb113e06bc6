// One attempt: resolves the name, checks the addresses, connects only to these, and reports the outcome (trust 56).
import type { IncomingMessage } from 'node:http'
import type { AddressPolicy } from './addresses.ts'
import { requestPinned } from './pinned-request.ts'
import { addressesOf, readTarget, resolveName, type Resolve } from './target.ts'

/** For everything: the name, the connection, TLS and the answer. */
const timeoutSeconds = 5
const maxAnswerBytes = 64 * 1024
const maxRetryAfterMs = 36_000_000

export interface Outcome {
  /** HTTP status; null if there was no response. */
  readonly status: number | null
  /** One sentence; null if it succeeded. Contains nothing of the response. */
  readonly error: string | null
  readonly milliseconds: number
  /** The Retry-After of a busy receiver. */
  readonly retryAfterMs?: number | undefined
}

export interface Message {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface SenderOptions {
  readonly addressPolicy: AddressPolicy
  /** The name servers, or what a test has in their place. */
  readonly resolve?: Resolve | undefined
  /** For whom retries by date are counted. */
  readonly now: () => number
}

/** Lets a receiver finish its response, within limits; the content is discarded. */
async function drain(response: IncomingMessage): Promise<void> {
  let bytes = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxAnswerBytes) break
    }
  } catch {
    // The status has arrived; how the rest ends changes nothing.
  } finally {
    response.destroy()
  }
}

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before a response.',
  EPIPE: 'The connection was closed before a response.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  ETIMEDOUT: 'The host cannot be reached.',
}

function codeOf(error: unknown): string {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error
  return inner instanceof Error && 'code' in inner ? String(inner.code) : ''
}

function sentenceOf(error: unknown, isOver: boolean): string {
  if (isOver) return `No complete response within ${timeoutSeconds} seconds.`
  const code = codeOf(error)
  const known = sentences[code]
  if (known !== undefined) return known
  if (/CERT|TLS|SSL|SIGNATURE|ALTNAME|VERIFY/.test(code)) return `TLS failed: ${code}.`
  if (code.startsWith('HPE_')) return 'The response is not HTTP.'
  return 'The connection failed.'
}

/** Seconds or a date. */
function retryAfterOf({ statusCode = 0, headers }: IncomingMessage, now: number): number | undefined {
  const text = headers['retry-after']
  if (text === undefined || ![429, 503].includes(statusCode)) return undefined
  const waitMs = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return waitMs > 0 ? Math.min(waitMs, maxRetryAfterMs) : undefined
}

const isGood = (status: number): boolean => status >= 200 && status < 300

export function createSender({ addressPolicy, resolve = resolveName, now }: SenderOptions) {
  async function attempt(message: Message, signal: AbortSignal): Promise<Omit<Outcome, 'milliseconds'>> {
    const failed = (error: string) => ({ status: null, error })
    const reading = readTarget(message.url, addressPolicy)
    if ('whyNot' in reading) return failed(`The address ${reading.whyNot}.`)
    const { target } = reading
    const found = await addressesOf(target, { addressPolicy, resolve, signal }).catch(() => undefined)
    if (!found) return failed(signal.aborted ? sentenceOf(undefined, true) : 'The name cannot be resolved.')
    if ('whyNot' in found) return failed(`The address ${found.whyNot}.`)
    const response = await requestPinned(target, found.addresses, { method: 'POST', ...message }, signal)
    const { statusCode: status = 0 } = response
    const retryAfterMs = retryAfterOf(response, now())
    await drain(response)
    const error = isGood(status) ? null : `The receiver responded with ${status}.`
    return { status, error, retryAfterMs }
  }

  /** Never throws: every failure is an outcome. */
  return async function send(message: Message): Promise<Outcome> {
    const startedAt = performance.now()
    const signal = AbortSignal.timeout(timeoutSeconds * 1_000)
    const outcome = await attempt(message, signal).catch((error: unknown) => ({
      status: null,
      error: sentenceOf(error, signal.aborted),
    }))
    return { ...outcome, milliseconds: Math.round(performance.now() - startedAt) }
  }
}

export type Send = ReturnType<typeof createSender>
