// Sending of batches: reported failures, time limits, and no redirects.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { readConfig, type Environment } from '../../src/settings/config.ts'
import { createExporter } from '../../src/tracing/exporter.ts'
import { startCollector } from './collector.ts'

async function start(
  t: TestContext,
  answers: Parameters<typeof startCollector>[1],
  environment: Environment = {},
) {
  const collector = await startCollector(t, answers)
  const settings = readConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
    ...environment,
  })
  const reported: (string | undefined)[] = []
  const onTrouble = (error: Error | undefined): void => void reported.push(error?.message)
  const exporter = createExporter(settings.tracesEndpoint ?? '', { settings, onTrouble })
  const send = () => new Promise<number>((resolve) => exporter.export([], ({ code }) => resolve(code)))
  return { collector, exporter, reported, send }
}

void test('a failure is reported once, however many follow, and so is its end', async (t) => {
  const { collector, reported, send } = await start(t, [400, 400, 401, 200, 200, 500])
  const codes: number[] = []
  for (let times = 0; times < 6; times += 1) codes.push(await send())
  assert.deepEqual(codes, [1, 1, 1, 0, 0, 1])
  assert.deepEqual(reported, [
    'The collector responded with 400.',
    undefined,
    'The collector responded with 500.',
  ])
  assert.equal(collector.batches.length, 6, 'what cannot go better is not sent again')
  assert.equal(collector.batches[0]?.headers.authorization, 'Bearer abc')
})

void test('the exporter gives up on a collector that stays busy after OTEL_EXPORTER_OTLP_TIMEOUT', async (t) => {
  const { collector, send } = await start(t, [503, 429, 502, 504], { OTEL_EXPORTER_OTLP_TIMEOUT: '2000' })
  assert.equal(await send(), 1)
  assert.equal(collector.batches.length, 2)
})

void test('a redirect is not followed, since it would pass the collector’s key to a third party', async (t) => {
  const elsewhere = await startCollector(t)
  const { reported, send } = await start(t, [{ status: 307, location: `${elsewhere.url}/v1/traces` }])
  assert.equal(await send(), 1)
  assert.deepEqual(reported, ['The collector responded with 307.'])
  assert.deepEqual(elsewhere.batches, [])
})

void test('after giving up, nothing more is sent', async (t) => {
  const { collector, exporter, send } = await start(t, [])
  exporter.giveUp()
  assert.equal(await send(), 1)
  assert.deepEqual(collector.batches, [])
})
