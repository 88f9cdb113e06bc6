// A process that serves a request, with tracing if the environment names a collector, and prints the libraries it loaded.
import { registerHooks } from 'node:module'

const loaded = new Set<string>()
registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context)
    const library = /node_modules\/(@opentelemetry\/[^/]+)\//.exec(found.url)?.[1]
    if (library !== undefined) loaded.add(library)
    if (found.url.endsWith('/src/tracing/sdk-tracing.ts')) loaded.add('ours')
    return found
  },
})

// Imported only now, so that the hook sees everything.
const { startWaymark } = await import('../helpers/waymark.ts')
const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = process.env
const waymark = await startWaymark({
  environment: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, STOP_GRACE: '1' },
})
const { status } = await waymark.fetch('/v2/site')
await waymark.close()
process.stdout.write(JSON.stringify({ status, loaded: [...loaded].toSorted() }))
