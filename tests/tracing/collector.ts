// An OpenTelemetry collector for tests: accepts OTLP over HTTP as JSON, and stores it.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

type Value = string | number | boolean | undefined

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number; readonly boolValue?: boolean }
}

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: readonly Attribute[]
  readonly status: { readonly code?: number }
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}

interface SentTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
  }[]
}

export interface SeenSpan extends Omit<SentSpan, 'attributes'> {
  readonly attributes: Readonly<Record<string, Value>>
}

export interface Batch {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

const valuesOf = (attributes: readonly Attribute[]): Record<string, Value> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue]),
  )

const seen = ({ attributes, ...span }: SentSpan): SeenSpan => ({ ...span, attributes: valuesOf(attributes) })

/** Kinds of spans, as OTLP numbers them. */
export const kinds = { internal: 1, server: 2, client: 3 } as const

interface Redirect {
  readonly status: number
  readonly location: string
}

/** @param answers the first responses; later ones are 200. */
export async function startCollector(t: TestContext, answers: readonly (number | Redirect)[] = []) {
  const batches: Batch[] = []
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      batches.push({ path: request.url, headers: request.headers, body })
      const answer = answers[batches.length - 1] ?? 200
      const { status, ...headers } = typeof answer === 'number' ? { status: answer } : answer
      return response.writeHead(status, headers).end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const sent = (): SentTraces[] => batches.map(({ body }) => JSON.parse(body.toString()) as SentTraces)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    batches,
    text: (): string => batches.map(({ body }) => body.toString('latin1')).join('\n'),
    resources: () =>
      sent().flatMap(({ resourceSpans }) =>
        resourceSpans.map(({ resource }) => valuesOf(resource.attributes)),
      ),
    spans: (): SeenSpan[] =>
      sent()
        .flatMap(({ resourceSpans }) => resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans)
        .map(seen),
  }
}
