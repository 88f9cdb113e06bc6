// Traces of requests for OpenTelemetry: what the rest of Waymark sees of them.
import type { IncomingMessage } from 'node:http'
import type { Config } from '../settings/config.ts'
import type { Database } from '../database/database.ts'
import type { Blobs } from '../storage/port.ts'
import type { BeginSpan } from '../http/connections/traffic.ts'

export type TracingSettings = Pick<
  Config,
  | 'tracesEndpoint'
  | 'tracesHeaders'
  | 'otlpProtocol'
  | 'otlpTimeoutMs'
  | 'tracesExporter'
  | 'tracesSampler'
  | 'tracesShare'
  | 'serviceName'
  | 'resourceAttributes'
  | 'sdkDisabled'
  | 'stopGraceSeconds'
>

export interface TracingOptions {
  readonly settings: TracingSettings
  /** Of the package. */
  readonly version: string
  /** Whether a request came through a trusted proxy; only those may set the trace it belongs to. */
  readonly isFromProxy: (request: IncomingMessage) => boolean
  /** Called when traces can no longer be sent and, with undefined, when they can again. */
  readonly onTrouble: (error: Error | undefined) => void
}

/** The stores of an installation. */
export interface Stores {
  readonly database: Database
  readonly blobs: Blobs
}

/** How an attempt to send something ended. */
export interface SendOutcome {
  /** HTTP status; null if there was no response. */
  readonly status: number | null
  readonly error: string | null
}

export interface Tracing {
  /** One span for each request. */
  readonly beginRequest: BeginSpan
  /** Runs the work as a span of the current request, or without a span if there is none. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>
  /** The same stores, whose transactions and calls are steps. */
  watch<S extends Stores>(stores: S): S
  /** Each call is a separate trace, since it happens in the background. Nothing of the message is recorded. */
  watchSend<M, O extends SendOutcome>(
    name: string,
    send: (message: M) => Promise<O>,
  ): (message: M) => Promise<O>
  /** Sends the rest, for a few seconds at most. Never throws. */
  close(): Promise<void>
}
