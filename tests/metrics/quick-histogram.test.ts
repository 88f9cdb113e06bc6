// What /metrics says of the requests is what prom-client's own histogram would say, to the byte (contract D3).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Histogram, Registry } from 'prom-client'
import { createQuickHistogram } from '../../src/metrics/quick-histogram.ts'

void test('D3: a quick histogram is exposed like a regular one', async () => {
  const options = { name: 'a_seconds', help: 'Back\\slash\nand line.', buckets: [0.001, 0.25, 1, 30] }
  const labels = ['method', 'route'] as const
  const usualRegistry = new Registry()
  const usual = new Histogram({ ...options, labelNames: labels, registers: [usualRegistry] })
  const quickRegistry = new Registry()
  const quick = createQuickHistogram({ ...options, labels })
  quickRegistry.registerMetric(quick.metric as unknown as Histogram)
  assert.equal(await quickRegistry.metrics(), await usualRegistry.metrics(), 'before the first')
  const values = [0, 0.001, 0.0011, 0.1, 0.2, 0.25, 0.3, 1, 2, 29.999, 30, 30.1, 1e6, 1e-9, 1 / 3]
  for (const method of ['GET', 'PUT', 'a "quoted" one\\\n']) {
    const ofMethod = { method, route: '/Trails/:trailID' }
    const observe = quick.series(ofMethod)
    for (const value of values) {
      observe(value)
      usual.observe(ofMethod, value)
    }
    assert.equal(await quickRegistry.metrics(), await usualRegistry.metrics(), method)
  }
})
