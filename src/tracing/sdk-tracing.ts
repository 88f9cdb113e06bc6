// Tracing by OpenTelemetry's own libraries: spans, which of them are kept, and the bounded queue from which they are sent.
// Nothing of it is global: a process may hold several, as tests do.
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
  type SpanContext,
} from '@opentelemetry/api'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace'
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
} from '@opentelemetry/semantic-conventions'
import { Refusal } from '../errors.ts'
import type { EndedRequest } from '../http/connections/traffic.ts'
import { createExporter } from './exporter.ts'
import type { Tracing, TracingOptions, TracingSettings } from './tracing.ts'
import { watchStores } from './watched-stores.ts'

/** At a stop, what is left has so long, and no more than a quarter of the grace. */
const flushMs = 3_000

/** Methods by name; any other could be a text of the sender's choice. */
const methods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'QUERY',
])

function samplerOf({ tracesSampler, tracesShare }: TracingSettings): Sampler {
  const name = tracesSampler.replace('parentbased_', '')
  const root =
    name === 'always_on'
      ? new AlwaysOnSampler()
      : name === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(tracesShare)
  return name === tracesSampler ? root : new ParentBasedSampler({ root })
}

function resourceOf({ serviceName, resourceAttributes }: TracingSettings, version: string) {
  const named = serviceName === undefined ? {} : { [ATTR_SERVICE_NAME]: serviceName }
  const own = {
    [ATTR_SERVICE_NAME]: 'waymark',
    [ATTR_SERVICE_VERSION]: version,
    ...resourceAttributes,
    ...named,
  }
  return defaultResource().merge(resourceFromAttributes(own))
}

/** The parent that a header `traceparent` names (W3C Trace Context); later versions begin like this one. */
function parentIn(header: string | string[] | undefined): SpanContext | undefined {
  const found = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/.exec(String(header))
  const [, version, traceId = '', spanId = '', flags = ''] = found ?? []
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return version !== 'ff' && isSpanContextValid(parent) ? parent : undefined
}

/** From closed lists of ours, node's or a library's: never a message, which may quote what was sent. */
function kindOf(error: unknown): string {
  if (error instanceof Refusal) return error.code
  if (!(error instanceof Error)) return '_OTHER'
  return 'code' in error && /^[A-Z][A-Z0-9_]+$/.test(String(error.code)) ? String(error.code) : error.name
}

function describeEnd(span: Span, { method, pattern, status, refusal, isWhole }: EndedRequest): void {
  span.updateName(pattern === undefined ? nameOf(method) : `${nameOf(method)} ${pattern}`)
  if (pattern !== undefined) span.setAttribute(ATTR_HTTP_ROUTE, pattern)
  if (status !== undefined) span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, status)
  if (refusal !== null) span.setAttribute('waymark.refusal', refusal.code)
  if (!isWhole) span.setAttribute('waymark.cut_off', true)
  if (status === undefined || status < 500) return
  span.setAttribute(ATTR_ERROR_TYPE, refusal?.code ?? String(status))
  span.setStatus({ code: SpanStatusCode.ERROR })
}

const methodOf = (method: string): string => (methods.has(method) ? method : '_OTHER')
const nameOf = (method: string): string => (methods.has(method) ? method : 'HTTP')

export function createSdkTracing(options: TracingOptions): Tracing {
  const { settings, version, isFromProxy } = options
  const exporter = createExporter(settings.tracesEndpoint ?? '', options)
  const provider = new TracerProvider({
    resource: resourceOf(settings, version),
    sampler: samplerOf(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('waymark', version)
  /** The span of the request, or of the step of it, that is being worked on. */
  const active = new AsyncLocalStorage<Span>()

  async function within<T>(span: Span, work: () => Promise<T>): Promise<T> {
    try {
      return await active.run(span, work)
    } catch (error) {
      span.setAttribute(ATTR_ERROR_TYPE, kindOf(error))
      if (!(error instanceof Refusal)) span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  }

  const step: Tracing['step'] = (name, work) => {
    const parent = active.getStore()
    // What goes on after its request has ended is no part of it.
    if (parent === undefined || !parent.isRecording()) return work()
    return within(tracer.startSpan(name, {}, trace.setSpan(ROOT_CONTEXT, parent)), work)
  }

  return {
    beginRequest: (incoming) => {
      const method = methodOf(incoming.method ?? '')
      const parent = isFromProxy(incoming) ? parentIn(incoming.headers['traceparent']) : undefined
      const span = tracer.startSpan(
        nameOf(method),
        { kind: SpanKind.SERVER, attributes: { [ATTR_HTTP_REQUEST_METHOD]: method } },
        parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent),
      )
      return {
        traceId: span.spanContext().traceId,
        run: (work) => active.run(span, work),
        end: (ended) => {
          describeEnd(span, ended)
          span.end()
        },
      }
    },

    step,

    watch: (stores) => watchStores(stores, step),

    watchSend: (name, send) => (message) => {
      const attributes = { [ATTR_HTTP_REQUEST_METHOD]: 'POST' }
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, ROOT_CONTEXT)
      return within(span, async () => {
        const outcome = await send(message)
        if (outcome.status !== null) span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, outcome.status)
        if (outcome.error === null) return outcome
        span.setAttribute(ATTR_ERROR_TYPE, outcome.status === null ? 'no-answer' : String(outcome.status))
        span.setStatus({ code: SpanStatusCode.ERROR })
        return outcome
      })
    },

    close: async () => {
      const late = setTimeout(exporter.giveUp, Math.min(flushMs, settings.stopGraceSeconds * 250))
      await provider.shutdown().catch(() => undefined) // told already
      clearTimeout(late)
      exporter.giveUp()
    },
  }
}
