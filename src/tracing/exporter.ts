// Sends spans to a collector by OTLP over HTTP. Failures never affect requests.
import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import { isPlainHost } from '../settings/tracing-settings.ts'
import type { TracingOptions } from './tracing.ts'

const firstWaitMs = 1_000
/** Statuses after which OTLP says to try again. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504])

const formats = {
  'http/protobuf': { serializer: ProtobufTraceSerializer, type: 'application/x-protobuf' },
  'http/json': { serializer: JsonTraceSerializer, type: 'application/json' },
} as const

export interface Exporter extends SpanExporter {
  /** Aborts requests in progress, and sends nothing more. */
  giveUp(): void
}

type ExportResult = Parameters<Parameters<SpanExporter['export']>[1]>[0]

interface Failure {
  readonly error: Error
  /** Whether a later attempt may go better. */
  readonly isPassing: boolean
}

interface Message {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly signal: AbortSignal
}

/**
 * @returns the status; the rest of the response is discarded. A redirect, which would send a key elsewhere, is not
 * followed.
 */
function post(url: URL, { headers, body, signal }: Message): Promise<number> {
  if (!isPlainHost(url.hostname)) throw new Error('the host has unusual characters') // the settings saw to it
  const request = url.protocol === 'https:' ? requestSecure : requestPlain
  return new Promise((resolve, reject) => {
    // A separate connection each, so that no other response can arrive on it (docs/supply-chain).
    request(url, { method: 'POST', headers, signal, agent: false })
      .on('response', (response) => {
        response.destroy()
        resolve(response.statusCode ?? 0)
      })
      .on('error', reject)
      // A protocol upgrade (101) emits neither event: without this, the promise would never settle.
      .on('close', () => reject(new Error('the connection closed without a response')))
      .end(body)
  })
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

export function createExporter(
  endpoint: string,
  { settings, onTrouble }: Pick<TracingOptions, 'settings' | 'onTrouble'>,
): Exporter {
  const url = new URL(endpoint)
  const { serializer, type } = formats[settings.otlpProtocol]
  const headers = { ...settings.tracesHeaders, 'content-type': type }
  const givenUp = new AbortController()
  let isFailing = false

  async function attempt(body: Uint8Array, signal: AbortSignal): Promise<Failure | undefined> {
    try {
      const status = await post(url, { headers, body, signal })
      if (status >= 200 && status < 300) return undefined
      return { error: new Error(`The collector responded with ${status}.`), isPassing: passing.has(status) }
    } catch (error) {
      return { error: asError(error), isPassing: !signal.aborted }
    }
  }

  /** Tries until the time of a batch is over. */
  async function send(body: Uint8Array): Promise<void> {
    const signal = AbortSignal.any([AbortSignal.timeout(settings.otlpTimeoutMs), givenUp.signal])
    for (let waitMs = firstWaitMs; ; waitMs *= 2) {
      const failure = await attempt(body, signal)
      if (failure === undefined) return
      if (!failure.isPassing) throw failure.error
      const isOver = await pause(waitMs, false, { signal, ref: false }).catch(() => true)
      if (isOver) throw failure.error
    }
  }

  /** Once for each time that it begins or ends to fail. */
  function tell(error: Error | undefined): void {
    const isNews = isFailing !== (error !== undefined)
    isFailing = error !== undefined
    if (isNews) onTrouble(error)
  }

  async function sendSpans(spans: ReadableSpan[]): Promise<ExportResult> {
    try {
      const body = serializer.serializeRequest(spans)
      if (body !== undefined) await send(body)
      tell(undefined)
      return { code: 0 }
    } catch (error) {
      tell(asError(error))
      return { code: 1, error: asError(error) }
    }
  }

  return {
    export: (spans, report) => {
      void sendSpans(spans).then(report)
    },
    shutdown: () => Promise.resolve(),
    giveUp: () => givenUp.abort(),
  }
}
