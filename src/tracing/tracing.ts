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
  /** Whether a request came by a proxy that is trusted, which alone may say what trace it belongs to. */
  readonly isFromProxy: (request: IncomingMessage) => boolean
  /** Told when traces cannot be sent any more, and, with undefined, when they can again. */
  readonly onTrouble: (error: Error | undefined) => void
}

/** The stores of an installation. */
export interface Stores {
  readonly database: Database
  readonly blobs: Blobs
}

/** How an attempt to send something ended. */
export interface SendOutcome {
  /** HTTP status; null where there was no answer. */
  readonly status: number | null
  readonly error: string | null
}

export interface Tracing {
  /** One span for each request. */
  readonly beginRequest: BeginSpan
  /** Runs the work as a step of the request under way; where none is, it is only run. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>
  /** The same stores, whose transactions and calls are steps. */
  watch<S extends Stores>(stores: S): S
  /** Each call of it is a trace of its own, since it happens in the background. Nothing of the message is told. */
  watchSend<M, O extends SendOutcome>(
    name: string,
    send: (message: M) => Promise<O>,
  ): (message: M) => Promise<O>
  /** Sends what is left, for a few seconds at most. Never throws. */
  close(): Promise<void>
}
