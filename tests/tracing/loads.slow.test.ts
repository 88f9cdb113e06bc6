// Without a collector, no part of OpenTelemetry's SDK is loaded, tested in a separate process.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const program = path.join(import.meta.dirname, 'loads.ts')

async function loadedWith(environment: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { stdout } = await run(process.execPath, [program], {
    env: { PATH: process.env['PATH'], ...environment },
  })
  const { status, loaded } = JSON.parse(stdout) as { status: number; loaded: string[] }
  assert.equal(status, 200)
  return loaded
}

void test('the tracing libraries are loaded only if an endpoint is set', async () => {
  const without = await loadedWith({})
  // prom-client loads the interface, which does nothing by itself.
  assert.deepEqual(
    without.filter((library) => library !== '@opentelemetry/api'),
    [],
  )
  const loaded = await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
  for (const library of ['ours', '@opentelemetry/sdk-trace', '@opentelemetry/otlp-transformer'])
    assert.ok(loaded.includes(library), library)
})
