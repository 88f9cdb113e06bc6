// Traces: what a collector receives about requests, their steps and webhooks, accepted parents, and what is never
// included.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { Environment } from '../../src/settings/config.ts'
import { createLogWatch } from '../helpers/log-watch.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { addWebhook, onLoopback, startReceiver } from '../events/webhooks/receiver.ts'
import { kinds, startCollector, type SeenSpan } from './collector.ts'

const traceId = '5b8efff798038103d269b633813fc60c'
const parentSpanId = 'eee19b7ec3c1b174'
const traceparent = `00-${traceId}-${parentSpanId}-01`

interface Options {
  readonly environment?: Environment
  readonly collectorStatuses?: readonly number[]
}

async function startTraced(t: TestContext, { environment = {}, collectorStatuses }: Options = {}) {
  const collector = await startCollector(t, collectorStatuses)
  const log = createLogWatch()
  const waymark = await startWaymark({
    logger: log.logger,
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      ...environment,
    },
  })
  let isClosed = false
  const close = async (): Promise<void> => {
    if (isClosed) return
    isClosed = true
    await waymark.close()
  }
  t.after(close)
  return { waymark, collector, log, close }
}

const namesOf = (spans: readonly SeenSpan[]): string[] => spans.map(({ name }) => name)
const serverSpans = (spans: readonly SeenSpan[]) => spans.filter(({ kind }) => kind === kinds.server)

void test('an upload is one span with its steps below it, in the trusted proxy’s trace, without secrets', async (t) => {
  const { waymark, collector, log, close } = await startTraced(t, {
    environment: {
      TRUST_PROXY: '127.0.0.1',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=trails%20team',
      OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=node-1,service.name=overruled',
      OTEL_SERVICE_NAME: 'trails',
    },
  })
  await waymark.addTrail(47_110_815, 'Secret trail')
  const person = await waymark.addPerson({ id: 908_070_605 })
  const key = await waymark.addKey(person.accountId)
  const photo = await jpegPicture()
  let imageId = ''
  const [line] = await log.logged(1, async () => {
    const answer = await waymark.fetch('/Trails/47110815/Images?caption=Quiet', {
      method: 'POST',
      token: person.token,
      headers: { 'content-type': 'image/jpeg', traceparent, cookie: 'session=hidden-cookie' },
      body: new Uint8Array(photo),
    })
    assert.equal(answer.status, 201)
    imageId = await answer.text()
  })
  assert.match(JSON.stringify(line), new RegExp(`"trace_id":"${traceId}"`))
  assert.equal((await waymark.fetch(`/Trails/47110815/Images?api_key=${key}`)).status, 200)
  await close()

  const spans = collector.spans()
  const ofUpload = spans.filter((span) => span.traceId === traceId)
  const root = ofUpload.find(({ kind }) => kind === kinds.server)
  assert.ok(root)
  assert.equal(root.name, 'POST /Trails/:trailID/Images')
  assert.equal(root.parentSpanId, parentSpanId)
  assert.deepEqual(root.attributes, {
    'http.request.method': 'POST',
    'http.route': '/Trails/:trailID/Images',
    'http.response.status_code': 201,
  })
  const steps = ofUpload.filter((span) => span !== root)
  const counted = (name: string) => steps.filter((step) => step.name === name).length
  for (const [name, min] of Object.entries({
    'blob receive': 1,
    'make renditions': 1,
    'blob put': 3,
    transaction: 1,
  }))
    assert.ok(counted(name) >= min, `${name}: ${namesOf(steps).join(', ')}`)
  for (const step of steps) {
    assert.equal(step.kind, kinds.internal)
    const parent = ofUpload.find(({ spanId }) => spanId === step.parentSpanId)
    assert.ok(parent, `${step.name} has its parent`)
    assert.ok(BigInt(step.startTimeUnixNano) >= BigInt(parent.startTimeUnixNano) - 1_000_000n)
    assert.ok(BigInt(step.endTimeUnixNano) <= BigInt(parent.endTimeUnixNano) + 1_000_000n)
  }

  assert.deepEqual(new Set(collector.batches.map(({ path }) => path)), new Set(['/v1/traces']))
  assert.equal(collector.batches[0]?.headers['x-team'], 'trails team')
  const [resource] = collector.resources()
  assert.equal(resource?.['service.name'], 'trails')
  assert.equal(resource?.['service.instance.id'], 'node-1')
  const reported = collector.text()
  const sha256 = createHash('sha256').update(photo).digest('hex')
  const ids = ['47110815', '908070605', imageId, sha256, line?.reqId ?? '']
  const words = ['Quiet', 'Secret trail', 'hidden', '127.0.0.1']
  for (const secret of [person.token, key, ...ids, ...words]) assert.ok(!reported.includes(secret), secret)
})

void test('only a trusted proxy decides which trace a request belongs to, and whether it is traced', async (t) => {
  const { waymark, collector, close } = await startTraced(t)
  for (const header of [traceparent, traceparent.replace(/01$/, '00')])
    assert.equal((await waymark.fetch('/v2/site', { headers: { traceparent: header } })).status, 200)
  await close()
  const spans = serverSpans(collector.spans())
  assert.deepEqual(namesOf(spans), ['GET /v2/site', 'GET /v2/site'])
  for (const span of spans) {
    assert.notEqual(span.traceId, traceId)
    assert.equal(span.parentSpanId ?? '', '')
  }
})

void test('a request that the proxy does not trace is not traced; invalid headers are ignored', async (t) => {
  const { waymark, collector, close } = await startTraced(t, { environment: { TRUST_PROXY: '127.0.0.1' } })
  const odd = [
    '',
    'x',
    `00-${'0'.repeat(32)}-${parentSpanId}-01`,
    `ff-${traceId}-${parentSpanId}-01`,
    `${traceparent}x`,
  ]
  for (const header of [traceparent.replace(/01$/, '00'), ...odd])
    assert.equal((await waymark.fetch('/v2/site', { headers: { traceparent: header } })).status, 200)
  await close()
  const spans = serverSpans(collector.spans())
  assert.equal(spans.length, odd.length)
  assert.ok(spans.every((span) => span.traceId !== traceId))
})

void test('requests answered before Fastify, refusals and unknown paths have spans named by route pattern', async (t) => {
  const { waymark, collector, close } = await startTraced(t)
  await waymark.addTrail(1, 'One')
  const key = await waymark.addKey((await waymark.addPerson()).accountId)
  const list = `/Trails/1/Images?api_key=${key}`
  for (let times = 0; times < 3; times += 1) assert.equal((await waymark.fetch(list)).status, 200)
  assert.ok(waymark.app.answersFromMemory() > 0)
  await waymark.fetch(`/Trails/2/Images?api_key=${key}`)
  await waymark.fetch('/v2/no-such/thing-of-4711')
  await close()
  const spans = serverSpans(collector.spans()).filter(({ name }) => name !== 'POST /oauth/token')
  const pattern = 'GET /Trails/:trailID/Images'
  assert.deepEqual(namesOf(spans), [pattern, pattern, pattern, pattern, 'GET'])
  assert.deepEqual(
    spans
      .slice(2)
      .map(({ attributes }) => [attributes['http.response.status_code'], attributes['waymark.refusal']]),
    [
      [200, undefined],
      [404, 'invalid-trail-id'],
      [404, 'not-found'],
    ],
  )
  assert.ok(!collector.text().includes('4711'))
})

void test('a webhook delivery is a trace of its own, without the receiver’s address', async (t) => {
  const { waymark, collector, close } = await startTraced(t, onLoopback)
  const receiver = await startReceiver((work) => t.after(work))
  const staff = await waymark.addPerson({ role: 'reviewer' })
  await addWebhook(waymark, staff.token, receiver.url)
  await waymark.addTrail(1, 'One')
  await waymark.upload(staff, 1, await jpegPicture())
  await waymark.app.services.webhooks.workAll()
  assert.ok(receiver.received.length > 0)
  assert.equal(
    receiver.received[0]?.headers['traceparent'],
    undefined,
    'strangers are told nothing of our traces',
  )
  await close()
  const [span, ...others] = collector.spans().filter(({ name }) => name === 'webhook delivery')
  assert.equal(others.length, receiver.received.length - 1)
  assert.equal(span?.kind, kinds.client)
  assert.equal(span?.parentSpanId ?? '', '')
  assert.equal(span?.attributes['http.response.status_code'], 204)
  assert.ok(!collector.text().includes(new URL(receiver.url).host))
})

void test('protobuf is sent by default', async (t) => {
  const { waymark, collector, close } = await startTraced(t, {
    environment: { OTEL_EXPORTER_OTLP_PROTOCOL: '' },
  })
  await waymark.fetch('/v2/site')
  await close()
  const [batch] = collector.batches
  assert.equal(batch?.headers['content-type'], 'application/x-protobuf')
  assert.ok(batch?.body.includes('GET /v2/site'))
})

void test('a busy collector is retried, with the same data', async (t) => {
  const { waymark, collector, log, close } = await startTraced(t, { collectorStatuses: [503] })
  await waymark.fetch('/v2/site')
  await close()
  assert.equal(collector.batches.length, 2)
  assert.deepEqual(collector.batches[0]?.body, collector.batches[1]?.body)
  assert.doesNotMatch(log.written(), /traces cannot be sent/)
})

/** Accepts connections and never responds. */
async function startSilence(t: TestContext): Promise<string> {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A port on which nothing listens. */
async function closedPort(t: TestContext): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  t.diagnostic(`port ${port}`)
  return `http://127.0.0.1:${port}`
}

for (const [name, start] of Object.entries({
  'refuses connections': closedPort,
  'never answers': startSilence,
}))
  void test(`if the collector ${name}, requests continue, the log says so once, and a stop does not wait for it`, async (t) => {
    const { waymark, log, close } = await startTraced(t, {
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: await start(t), STOP_GRACE: '2' },
    })
    await waymark.addTrail(1, 'One')
    await waymark.upload(await waymark.addPerson(), 1, await jpegPicture())
    const begun = performance.now()
    await close()
    assert.ok(performance.now() - begun < 2_000, 'within the grace')
    assert.equal(log.written().match(/traces cannot be sent/g)?.length, 1)
  })

for (const [name, environment] of Object.entries({
  always_off: { OTEL_TRACES_SAMPLER: 'always_off' },
  'a share of none': { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' },
  OTEL_SDK_DISABLED: { OTEL_SDK_DISABLED: 'true' },
  'OTEL_TRACES_EXPORTER none': { OTEL_TRACES_EXPORTER: 'none' },
}))
  void test(`nothing is sent with ${name}`, async (t) => {
    const { waymark, collector, close } = await startTraced(t, { environment })
    assert.equal((await waymark.fetch('/v2/site')).status, 200)
    await close()
    assert.deepEqual(collector.batches, [])
  })
