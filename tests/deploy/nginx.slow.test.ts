// deploy/nginx.conf on a real nginx with real nodes: addresses, forged headers, sizes, streams, a dying node.
import assert from 'node:assert/strict'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import sharp from 'sharp'
import { startNginx, whyNoNginx, type Front } from '../helpers/nginx.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'
import { send, type WireRequest } from '../helpers/wire.ts'

/** A node that accepts connections and closes each once a request has arrived. */
async function breakingNode() {
  let taken = 0
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      taken += 1
      socket.resetAndDestroy()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const end = () => new Promise((resolve) => server.close(resolve))
  return { url: `http://127.0.0.1:${port}`, taken: () => taken, end }
}

async function assertProxysWord(answer: Response): Promise<void> {
  assert.equal(answer.headers.get('content-type'), 'application/problem+json')
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  const { status, detail } = (await answer.json()) as { status: number; detail: string }
  assert.equal(status, answer.status)
  assert.match(detail, /^[A-Z].*\.$/)
}

void describe('nginx in front of nodes', { skip: whyNoNginx() }, () => {
  let waymark: Waymark
  let front: Front
  before(async () => {
    waymark = await startWaymark({
      environment: { TRUST_PROXY: '127.0.0.1', RATE_LIMIT_FACTOR: '1', RATE_ADDRESS: '3', WEB_APP: 'off' },
    })
    await waymark.addTrail(4711, 'Rim Trail')
    front = await startNginx({ nodes: [waymark.url, waymark.url, waymark.url] })
  })
  after(async () => {
    await front?.end()
    await waymark?.close()
  })

  void test('a forged X-Forwarded-For has no effect: every request counts for its real address', async () => {
    const statuses = []
    for (let at = 0; at < 5; at += 1) {
      const headers = { 'x-forwarded-for': `192.0.2.${at}`, forwarded: `for=192.0.2.${at}` }
      statuses.push((await send(front.url, { path: '/Trails/4711/Images', headers })).status)
    }
    assert.equal(statuses.at(-1), 429, statuses.join())
    // Only trusted from nginx: directly sent to the node, the header counts as another visitor.
    const direct = { path: '/Trails/4711/Images', headers: { 'x-forwarded-for': '192.0.2.77' } }
    assert.notEqual((await send(waymark.url, direct)).status, 429)
  })

  void test('photos of 8 MB and bodies of 24 MiB pass, longer ones are refused', async () => {
    const owner = await waymark.addPerson()
    const raw = { width: 1_600, height: 1_600, channels: 3, background: 'green' } as const
    const photo = await sharp({ create: { ...raw, noise: { type: 'gaussian', mean: 128, sigma: 60 } } })
      .png({ compressionLevel: 0 })
      .toBuffer()
    assert.ok(photo.length > 7_500_000 && photo.length < 8 * 1024 ** 2, String(photo.length))
    const headers = { authorization: `Bearer ${owner.token}` }
    const uploaded = await send(front.url, {
      path: '/Trails/4711/Images',
      method: 'POST',
      headers: { ...headers, 'content-type': 'image/png' },
      body: photo,
    })
    assert.equal(uploaded.status, 201, await uploaded.text())
    const post = (length: number) =>
      send(front.url, {
        path: `/Accounts/${owner.accountId}/Routes`,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: `{"name":"${'x'.repeat(length - 11)}"}`,
      })
    const whole = await post(24 * 1024 ** 2)
    // The node's own refusal, not for its length.
    assert.match(whole.headers.get('content-type') ?? '', /^application\/problem/)
    assert.notEqual(whole.status, 413)
    // nginx refuses by the length alone; the client may see the connection end while sending.
    const tooLong = await post(66 * 1024 ** 2).catch(() => undefined)
    assert.ok(tooLong === undefined || tooLong.status === 413)
  })

  void test('what nginx itself refuses is one sentence in a problem document', async () => {
    const asks: readonly (readonly [number, WireRequest])[] = [
      [400, { path: '/Trails/4711%00/Images' }],
      [400, { path: '/Trails/%' }],
      [400, { path: '/../Trails/4711/Images' }],
      [400, { path: '/Trails/4711/Images', headers: { 'x-long': 'x'.repeat(70_000) } }],
      [414, { path: `/Trails/4711/Images?x=${'y'.repeat(20_000)}` }],
      [405, { path: '/Trails/4711/Images', method: 'TRACE' }],
    ]
    for (const [status, request] of asks) {
      const answer = await send(front.url, request)
      assert.equal(answer.status, status, request.path)
      await assertProxysWord(answer)
    }
  })

  void test('metrics of a node are not available to visitors', async () => {
    // Spelled like the nodes accept it: without the block, each would return the metrics.
    for (const path of ['/metrics', '/metrics/', '/metrics//', '//metrics', '/%6detrics/', '/metrics/?x']) {
      const answer = await send(front.url, { path })
      assert.equal(answer.status, 404, path)
      await assertProxysWord(answer)
    }
    // Unknown paths are answered by nodes.
    const unknown = await send(front.url, { path: '/V9/Trails/4711/Images' })
    assert.equal(unknown.status, 404)
    assert.match(unknown.headers.get('content-type') ?? '', /^application\/problem\+json; charset=utf-8$/)
  })

  void test('an event stream arrives as it is written', async () => {
    const staff = await waymark.addPerson({ role: 'reviewer' })
    const owner = await waymark.addPerson()
    const stop = new AbortController()
    const headers = { authorization: `Bearer ${staff.token}` }
    const stream = await fetch(`${front.url}/v2/events`, { headers, signal: stop.signal })
    assert.match(stream.headers.get('content-type') ?? '', /event-stream/)
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
    assert.ok(reader)
    const raw = { width: 40, height: 30, channels: 3, background: 'red' } as const
    const id = await waymark.upload(owner, 4711, await sharp({ create: raw }).jpeg().toBuffer())
    let reported = ''
    const late = AbortSignal.timeout(5_000)
    while (!reported.includes(String(id))) {
      const chunk = await Promise.race([
        reader.read(),
        once(late, 'abort').then(() => assert.fail(`no event: ${reported}`)),
      ])
      reported += chunk.value ?? ''
    }
    stop.abort()
  })
})

void test(
  'failed requests are sent to another node if they change nothing, and never otherwise',
  { skip: whyNoNginx() },
  async (t) => {
    const waymark = await startWaymark({ environment: { TRUST_PROXY: '127.0.0.1', WEB_APP: 'off' } })
    t.after(() => waymark.close())
    const broken = await breakingNode()
    t.after(broken.end)
    const front = await startNginx({ nodes: [broken.url, waymark.url] })
    t.after(front.end)
    for (let at = 0; at < 8; at += 1) {
      const live = await send(front.url, { path: '/health/live' })
      assert.equal(live.status, 200)
    }
    assert.ok(broken.taken() > 0, 'the broken node was asked')
    const second = await breakingNode()
    t.after(second.end)
    const other = await startNginx({ nodes: [second.url, second.url] })
    t.after(other.end)
    const answer = await send(other.url, { path: '/oauth/token', method: 'POST', body: 'a=b' })
    assert.deepEqual([answer.status, second.taken()], [502, 1], 'a POST is sent once')
    assert.equal(answer.headers.get('retry-after'), '5')
    await assertProxysWord(answer)
    await send(other.url, { path: '/health/live' })
    assert.ok(second.taken() > 2, 'a GET is tried again')
  },
)
