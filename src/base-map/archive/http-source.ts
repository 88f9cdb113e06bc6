// An archive on a server that supports range requests: broken connections are resumed, and busy servers are waited
// for.
import { setTimeout as sleep } from 'node:timers/promises'
import { isPlainHost } from '../../events/webhooks/target.ts'
import { foreignKind } from './foreign.ts'
import { isSameState, type ArchiveSource, type Validator } from './source.ts'
import { isWrongArchive, wrongArchive } from './wrong-archive.ts'

const maxRedirects = 5
/** A server that sends nothing for this long is asked again. */
const stallMs = 30_000
/** Delays between attempts without any data. */
const usualWaitsMs: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000]
/** The longest wait that a server may request. */
const maxRetryAfterMs = 300_000
const pageBytes = 512

export interface HttpSourceOptions {
  readonly signal: AbortSignal
  /** Sends a request without decoding the response; not Node's fetch (docs/supply-chain/advisories.json). */
  readonly send: (address: string, init: RequestInit) => Promise<Response>
  readonly waitsMs?: readonly number[] | undefined
}

interface Opened {
  readonly response: Response
  readonly state: Validator
}

/** A problem that a retry may solve. `waitMs`: the delay requested by the server. */
type Trouble = Error & { readonly isPassing?: true; readonly waitMs?: number | undefined }

const passing = (sentence: string, waitMs?: number): Trouble =>
  Object.assign(new Error(sentence), { isPassing: true as const, waitMs })

/** Seconds or a date. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  const waitMs = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now()
  return waitMs >= 0 ? waitMs : undefined
}

/** A name that does not resolve, a failed connection, or a timeout. */
const failing = (): Trouble => passing('the connection fails.')

const isOfConnection = (error: unknown): boolean =>
  error instanceof Error && ('code' in error || error.name === 'AbortError')

const hostOf = (address: string): string => new URL(address).host

/** The first bytes of a response of any length. */
async function beginOf({ body }: Response, length: number): Promise<Buffer> {
  let begin = Buffer.alloc(0)
  if (body === null) return begin
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    begin = Buffer.concat([begin, chunk])
    if (begin.length >= length) break
  }
  return begin.subarray(0, length)
}

/** Errors of the sink are not connection errors. */
async function* orFailing(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw failing()
      })
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** A server that sends the whole file, or something else instead. */
async function whyWhole(response: Response, address: string): Promise<Error> {
  const foreign = foreignKind(await beginOf(response, pageBytes))
  if (foreign !== undefined) return wrongArchive(`${address} cannot be used. ${foreign}`)
  return wrongArchive(
    `${hostOf(address)} does not answer ranges, so parts of its archive cannot be requested: download the whole file and use it with --from FILE.`,
  )
}

function stateOf(response: Response, address: string, start: number, end: number): Validator {
  const coding = response.headers.get('content-encoding')
  const isCoded = coding !== null && coding !== 'identity'
  const range = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(response.headers.get('content-range') ?? '')
  const [first, last, bytes] = (range ?? []).slice(1).map(Number)
  const isAsked = bytes !== undefined && first === start && last === Math.min(end, bytes) - 1
  if (isCoded || !isAsked) throw wrongArchive(`${hostOf(address)} answers other ranges than those requested.`)
  return { bytes, etag: response.headers.get('etag'), modified: response.headers.get('last-modified') }
}

/** @param address https or http, as typed by the operator. */
export async function openHttpSource(
  address: string,
  { signal, send, waitsMs = usualWaitsMs }: HttpSourceOptions,
): Promise<ArchiveSource> {
  let received = 0
  /** The target of the last redirect; discarded if it is refused, since such URLs may expire. */
  let current = address
  let known: Validator | undefined

  async function follow(headers: Record<string, string>, stop: AbortSignal): Promise<Response> {
    for (let hop = 0; hop <= maxRedirects; hop += 1) {
      if (!isPlainHost(new URL(current).hostname))
        throw wrongArchive(`The host of ${current} has characters that no host has.`)
      const init = { headers, redirect: 'manual', signal: stop } as const
      const response = await send(current, init).catch((error: unknown) => {
        throw isOfConnection(error)
          ? failing()
          : wrongArchive(`${hostOf(current)} cannot be used: ${(error as Error).message}.`)
      })
      if (response.status < 300 || response.status >= 400 || response.status === 304) return response
      const next = URL.parse(response.headers.get('location') ?? '', current)
      await response.body?.cancel()
      const isWeb = next?.protocol === 'https:' || (next?.protocol === 'http:' && current.startsWith('http:'))
      if (!next || !isWeb) throw wrongArchive(`${hostOf(current)} redirects to an address that is not https.`)
      current = next.href
    }
    throw wrongArchive(`${hostOf(address)} redirects more than ${maxRedirects} times.`)
  }

  async function ask(start: number, end: number, stop: AbortSignal): Promise<Opened> {
    const headers = { range: `bytes=${start}-${end - 1}`, 'accept-encoding': 'identity' }
    const wasRedirected = current !== address
    const response = await follow(headers, stop)
    const { status } = response
    if (status === 206) return { response, state: stateOf(response, current, start, end) }
    if (status === 200) throw await whyWhole(response, current)
    await response.body?.cancel()
    const sentence = `${hostOf(current)} answers ${status}.`
    if (status === 416 && known === undefined) throw wrongArchive(`${address} is empty.`)
    if (status >= 500 || status === 429 || status === 408)
      throw passing(sentence, retryAfterOf(response.headers))
    if (wasRedirected) {
      current = address
      throw passing(sentence)
    }
    throw wrongArchive(`${address} cannot be read: ${sentence}`)
  }

  /** One request. @returns how far it got. @throws Trouble, whose cause is in `error`. */
  async function attempt(
    start: number,
    end: number,
    sink: (chunk: Buffer, at: number) => Promise<void> | void,
    note: (at: number) => void,
  ): Promise<void> {
    const stalled = new AbortController()
    const timer = setTimeout(() => stalled.abort(), stallMs)
    try {
      const { response, state } = await ask(start, end, AbortSignal.any([signal, stalled.signal]))
      known ??= state
      if (!isSameState(known, state)) {
        await response.body?.cancel()
        throw wrongArchive(
          `The archive at ${address} was replaced while it was being read. Run the command again with --start-over.`,
        )
      }
      let at = start
      const last = Math.min(end, known.bytes)
      if (response.body === null) throw passing('The connection was closed.')
      for await (const part of orFailing(response.body)) {
        timer.refresh()
        const chunk = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
        received += chunk.length
        if (at + chunk.length > last) throw wrongArchive(`${hostOf(current)} sends more than was requested.`)
        await sink(chunk, at)
        at += chunk.length
        note(at)
      }
      if (at < last) throw passing('The connection was closed.')
    } finally {
      clearTimeout(timer)
    }
  }

  /** How long to wait before the next attempt; undefined if there is none. */
  function waitAfter(error: unknown, triesInVain: number): number | undefined {
    const { isPassing, waitMs } = error as Trouble
    if (signal.aborted || isWrongArchive(error)) return undefined
    if (isPassing !== true) return undefined
    const usual = waitsMs[triesInVain]
    if (usual === undefined || (waitMs ?? 0) > maxRetryAfterMs) return undefined
    return Math.max(usual, waitMs ?? 0)
  }

  function given(error: unknown): unknown {
    if (signal.aborted) return signal.reason
    const { isPassing, waitMs } = error as Trouble
    if (isWrongArchive(error)) return error
    if (isPassing === true) {
      const asks =
        waitMs !== undefined && waitMs > maxRetryAfterMs
          ? ` The server asks to wait ${Math.ceil(waitMs / 60_000)} minutes.`
          : ''
      return Object.assign(
        new Error(
          `${address} cannot be read at the moment: ${(error as Error).message}${asks} Run the same command again to continue.`,
        ),
        { failureCode: 'unreachable' },
      )
    }
    return error
  }

  const stream: ArchiveSource['stream'] = async (start, bytes, sink) => {
    let at = start
    let triesInVain = 0
    const note = (to: number): void => {
      at = to
      triesInVain = 0
    }
    for (;;) {
      try {
        return await attempt(at, start + bytes, sink, note)
      } catch (error) {
        if (at > start && at === start + bytes) return
        const waitMs = waitAfter(error, triesInVain)
        if (waitMs === undefined) throw given(error)
        triesInVain += 1
        await sleep(waitMs, undefined, { signal }).catch(() => undefined)
        if (signal.aborted) throw signal.reason
      }
    }
  }

  await stream(0, 1, () => undefined)
  if (known === undefined) throw wrongArchive(`${address} cannot be read.`)
  return { validator: known, stream, bytesReceived: () => received, close: async () => undefined }
}
