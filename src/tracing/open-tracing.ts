// Loads the libraries of OpenTelemetry, only where an endpoint is named: without one there is no Tracing at all, and
// nobody asks for it in the hot path.
import type { Tracing, TracingOptions } from './tracing.ts'

const isTraced = ({ settings }: Pick<TracingOptions, 'settings'>): boolean =>
  settings.tracesEndpoint !== undefined &&
  settings.tracesExporter === 'otlp' &&
  settings.sdkDisabled === 'false'

/** @returns undefined where nothing is to be traced; then nothing is loaded. */
export async function openTracing(options: TracingOptions): Promise<Tracing | undefined> {
  if (!isTraced(options)) return undefined
  const { createSdkTracing } = await import('./sdk-tracing.ts')
  return createSdkTracing(options)
}
