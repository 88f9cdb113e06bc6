// The log has one line of JSON per request, whatever is sent and however it ends (trust 40).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { createLogWatch } from '../../helpers/log-watch.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { parseAnswer, say, send, type WireRequest } from '../../helpers/wire.ts'

const watch = createLogWatch()
const { logged } = watch
const waymark = await startWaymark({ logger: watch.logger, environment: { TRUST_PROXY: '127.0.0.1' } })
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const probe = (request: WireRequest) => watch.probe(waymark.url, request)

void test('trust 40: whatever a URL contains, a request is one line that is safe for a terminal', async () => {
  const odd = [
    '\\',
    '"',
    "'",
    '%0d%0a',
    '%1b[2J',
    '%00',
    '%9b',
    '%c2%9b31m',
    '%e2%80%ae',
    '%e2%80%a8',
    '{"a":1}',
    '%',
  ]
  for (const chunk of odd) {
    await probe({ path: `/${chunk}/x` })
    await probe({ path: `/Trails/${chunk}/Images?a=${chunk}` })
    await probe({ path: `/wm_${'a'.repeat(20)}${chunk}` })
    await probe({ path: '/', headers: { 'user-agent': chunk, referer: chunk, 'x-forwarded-for': chunk } })
  }
  // Bytes that no client library sends.
  for (const bytes of ['\x9b31m', '\xc2\x9b', '\xe2\x80\xae', '\x7f', '\xff']) {
    const raw = Buffer.from(
      `GET /a${bytes}b HTTP/1.1\r\nHost: a${bytes}\r\nX-A: ${bytes}\r\nConnection: close\r\n\r\n`,
      'latin1',
    )
    const { status } = parseAnswer(await say(waymark.url, raw))
    assert.ok(status === 404 || status === 400, String(status))
    assert.doesNotMatch(watch.written(), /[^\P{C}\n]/u)
  }
  for (const path of [
    'a/'.repeat(3_000),
    `Trails/${'1'.repeat(8_000)}/Images`,
    `Trails/${'1'.repeat(9_000)}/Images`,
  ])
    assert.ok((await probe({ path: `/${path}` })).log.length < 1_000)
  await probe({ path: '/', headers: { 'x-a': 'a'.repeat(12_000) } })
})

void test('trust 40: an ID or a line from outside never gets into the log', async () => {
  const forged = '{"level":30,"msg":"request","reqId":"forged"}'
  const headers = { 'x-request-id': forged, 'request-id': 'forged', traceparent: 'forged' }
  const [line] = await logged(1, () =>
    send(waymark.url, { path: `/x%0a${encodeURIComponent(forged)}`, headers }),
  )
  assert.match(line?.reqId ?? '', /^[0-9a-f-]{36}$/)
  const split = `GET /a HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n ${forged}\r\nConnection: close\r\n\r\n`
  const before = watch.written().length
  await say(waymark.url, split)
  assert.ok(!watch.written().slice(before).includes('forged'))
})

void test('trust 40: a path is logged unchanged, except for parts as long as a token or with the prefix of a key', async () => {
  // A preflight is answered for any id.
  for (const [id, shown] of [
    ['2390666259310209', '2390666259310209'],
    ['a'.repeat(31), 'a'.repeat(31)],
    ['a'.repeat(32), '…'],
    ['wm_abcdefgh', 'wm_…'],
  ] as const) {
    const [line] = await logged(1, () =>
      send(waymark.url, { path: `/v2/images/${id}/reports?api_key=a`, method: 'OPTIONS' }),
    )
    const path = `/v2/images/${shown}/reports`
    assert.deepEqual([line?.['path'], line?.status], [path, 204])
  }
})

void test('trust 40: requests on one connection, and aborted ones, have one line each', async () => {
  const pipelined = 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(4)
  const last = 'GET /nope HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
  const lines = await logged(5, () => say(waymark.url, pipelined + last))
  assert.equal(new Set(lines.map(({ reqId }) => reqId)).size, 5)

  const head = `POST /Trails/4711/Images HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ana.token}\r\nContent-Type: image/jpeg\r\nContent-Length: 100\r\n\r\n`
  const [halfClosed] = await logged(1, () => say(waymark.url, `${head}half`, { isHalfClosed: true }))
  assert.deepEqual([halfClosed?.method, halfClosed?.status], ['POST', 400])

  const { hostname, port } = new URL(waymark.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  const opened = once(waymark.app.server.server, 'request')
  const [reset] = await logged(1, async () => {
    socket.write(`${head}half`)
    await opened
    socket.resetAndDestroy()
  })
  assert.deepEqual([reset?.method, reset?.aborted, reset?.address], ['POST', true, '127.0.0.1'])
})

void test('a client that disconnects before a long response begins is not logged as an error', async () => {
  const points = Array.from({ length: 20_000 }, (_, index) => `<trkpt lat="${index / 1_000}" lon="7"/>`)
  const gpx = `<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>${points.join('')}</trkseg></trk></gpx>`
  const made = await waymark.fetch(`/v2/accounts/${ana.accountId}/routes`, {
    method: 'POST',
    token: ana.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ gpx }),
  })
  assert.equal(made.status, 201)
  const { routeID } = (await made.json()) as { routeID: number }
  const path = `/v2/routes/${routeID}.gpx`
  const { hostname, port } = new URL(waymark.url)
  const socket = connect(Number(port), hostname)
  const asked = once(waymark.app.server.server, 'request')
  const [left] = await logged(1, async () => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ana.token}\r\n\r\n`)
    await asked
    socket.destroy()
  })
  assert.equal(left?.aborted, true)
  const before = watch.written()
  // What was left is done once the same has been done again.
  await probe({ path, headers: { authorization: `Bearer ${ana.token}` } })
  assert.ok(!(before + watch.written()).includes('request failed'))
})
