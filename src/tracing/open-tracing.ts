// Loads the OpenTelemetry libraries, only if an endpoint is set: without one there is no Tracing, and the hot path
// skips it.
import type { Tracing, TracingOptions } from './tracing.ts'

const isTraced = ({ settings }: Pick<TracingOptions, 'settings'>): boolean =>
  settings.tracesEndpoint !== undefined &&
  settings.tracesExporter === 'otlp' &&
  settings.sdkDisabled === 'false'

/** @returns undefined if nothing is to be traced; then nothing is loaded. */
export async function openTracing(options: TracingOptions): Promise<Tracing | undefined> {
  if (!isTraced(options)) return undefined
  const { createSdkTracing } = await import('./sdk-tracing.ts')
  return createSdkTracing(options)
}
