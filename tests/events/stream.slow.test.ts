// GET /v2/events: live, resumable, authorised again and again, and closed immediately when the server stops (contract,
// Part D).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { hashId } from '../../src/auth/oauth/oauth-store.ts'
import { newestPosition, recordEvent } from '../../src/events/outbox.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'
import { askFeed, bearer, openStream, type Stream } from './listener.ts'

const waymark = await startWaymark({ heartbeatMs: 300, environment: { MAX_STREAMS_PER_ACCOUNT: '3' } })
after(() => waymark.close())
await waymark.addTrail(7, 'Seven')
await waymark.addTrail(8, 'Eight')
const ana = await waymark.addPerson()
const bob = await waymark.addPerson()
const rob = await waymark.addPerson({ role: 'reviewer' })
const { db } = waymark.installation.database

let pictures = 0
async function upload(trailId = 7): Promise<number> {
  pictures += 1
  return waymark.upload(ana, trailId, await jpegPicture({ width: 20 + pictures, height: 9 }))
}

/** Opens a stream that is closed when the test ends. */
async function open(t: TestContext, headers: Record<string, string>, query = ''): Promise<Stream> {
  const stream = await openStream(waymark, { headers, query })
  t.after(() => stream.close())
  return stream
}

/** An event of a route, which only its owner receives. */
const recordRoute = (accountId: number, at = waymark) =>
  at.installation.database.db.transaction().execute(async (tx) => {
    await recordEvent(tx, {
      type: 'route.created',
      at: at.system.now(),
      accountId,
      data: { routeID: 1, acctID: accountId },
    })
    return newestPosition(tx)
  })

void test('Part D: a stream begins now, and delivers each event as the feed does', async (t) => {
  const before = await upload()
  const stream = await open(t, bearer(ana))
  assert.equal(stream.status, 200)
  const { headers } = stream
  assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8')
  assert.equal(headers['cache-control'], 'private, no-store')
  assert.equal(headers['x-accel-buffering'], 'no')
  await stream.until(() => stream.frames.length > 0, 'the first frame')
  const { position } = await askFeed(waymark, bearer(ana))
  assert.deepEqual(stream.frames[0], { id: String(position), event: undefined, data: undefined })
  const after = await upload()
  assert.equal((await waymark.review(rob, before, 'approve')).status, 200)
  await stream.receives(2)
  const { items } = await askFeed(waymark, bearer(ana), `?since=${position}`)
  assert.deepEqual(stream.events(), items)
  assert.deepEqual(
    stream.frames.filter(({ data }) => data !== undefined).map(({ id, event }) => [id, event]),
    items.map((item) => [String(item.position), item.type]),
  )
  assert.deepEqual(
    items.map(({ data }) => data['imageID']),
    [after, before],
  )
})

void test('Part D: reconnecting with the last position misses nothing; the header takes precedence over since', async (t) => {
  const { position: start } = await askFeed(waymark, bearer(ana))
  await upload()
  await upload()
  const { items } = await askFeed(waymark, bearer(ana), `?since=${start}`)
  for (const [headers, query] of [
    [{}, `?since=${start}`],
    [{ 'last-event-id': String(start) }, ''],
    [{ 'last-event-id': String(start) }, `?since=${start + 1}`],
  ] as const) {
    const stream = await openStream(waymark, { headers: { ...bearer(ana), ...headers }, query })
    await stream.receives(2)
    assert.deepEqual(stream.events(), items)
    await stream.close()
  }
  const later = await open(t, { ...bearer(ana), 'last-event-id': String(start + 1) }, '?types=image.uploaded')
  await later.receives(1)
  assert.deepEqual(later.events(), items.slice(1))
})

void test('Part D: silence is filled with the position reached, past what others received', async (t) => {
  const stream = await open(t, bearer(bob))
  const position = await recordRoute(ana.accountId)
  await stream.reaches(position)
  assert.deepEqual(stream.events(), [])
  assert.deepEqual(stream.frames.at(-1), { id: String(position), event: undefined, data: undefined })
})

void test('Part D: writes of another process are delivered too', async (t) => {
  const stream = await open(t, bearer(ana))
  await stream.until(() => stream.frames.length > 0, 'the first frame')
  const position = await recordRoute(ana.accountId)
  await stream.receives(1)
  assert.equal(stream.events()[0]?.position, position)
})

void test('Part D: invalid requests are refused before the stream begins', async () => {
  const ask = (query: string, headers: Record<string, string> = {}) =>
    waymark.fetch(`/v2/events${query}`, { token: ana.token, headers })
  for (const query of ['?since=none', '?since=-1', '?types=x', '?since=9999999'])
    await assertProblem(await ask(query), 'invalid-query', query)
  await assertProblem(await ask('', { 'last-event-id': 'x' }), 'invalid-header')
  await assertProblem(await ask('', { 'last-event-id': '9999999' }), 'invalid-query')
  await assertProblem(await waymark.fetch('/v2/events'), 'credential-required')
  const key = await waymark.addKey(ana.accountId)
  await assertProblem(await waymark.fetch(`/v2/events?api_key=${key}`), 'credential-required')
  const head = await waymark.fetch('/v2/events', { token: ana.token, method: 'HEAD' })
  assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'text/event-stream; charset=utf-8'])
})

void test('Part D: an account may have a limited number of streams, and each that ends makes room', async (t) => {
  const streams = await Promise.all([1, 2, 3].map(() => open(t, bearer(bob))))
  const refused = await waymark.fetch('/v2/events', { token: bob.token })
  assert.equal(refused.headers.get('retry-after'), '1')
  const { detail } = await assertProblem(refused, 'too-many-requests')
  assert.equal(detail, 'The account has the maximum of 3 open streams; close one first.')
  assert.equal((await open(t, bearer(ana))).status, 200, 'another account')
  await streams[0]?.close()
  let status = 429
  for (let tries = 0; tries < 2_000 && status === 429; tries += 1) {
    const again = await openStream(waymark, { headers: bearer(bob) })
    ;({ status } = again)
    await again.close()
  }
  assert.equal(status, 200)
})

void test('trust 16: a stream ends with its token, even if nothing happens', async (t) => {
  const token = await waymark.tokenFor(bob.accountId, 'images:read')
  const stream = await open(t, bearer({ token }))
  await stream.until(() => stream.frames.length > 1, 'a heartbeat')
  await db.deleteFrom('oauth_object').where('id_hash', '=', hashId(token)).execute()
  await stream.ends() // within 10 s, of the 15 minutes that the token would have lived
})

void test('trust 16: nothing is delivered once the token is gone, not even events before the next heartbeat', async () => {
  const slow = await startWaymark({ heartbeatMs: 60_000 })
  try {
    const eve = await slow.addPerson()
    const stream = await openStream(slow, { headers: bearer(eve) })
    await stream.until(() => stream.frames.length > 0, 'the first frame')
    await slow.installation.database.db.deleteFrom('oauth_object').execute()
    await recordRoute(eve.accountId, slow)
    await stream.ends()
    assert.deepEqual(stream.events(), [])
  } finally {
    await slow.close()
  }
})

void test('trust 16: a stream uses the current rights: a role removed, a reviewer limited, a session ended', async (t) => {
  const eve = await waymark.addPerson({ role: 'reviewer' })
  const stream = await open(t, bearer(eve))
  const received = () => stream.events().map(({ data }) => data['imageID'])
  const first = await upload(7)
  await stream.receives(1)
  await db.insertInto('account_trail').values({ account_id: eve.accountId, trail_id: 8 }).execute()
  await upload(7)
  const second = await upload(8)
  await stream.receives(2)
  await db.updateTable('account').set({ role: 'member' }).where('id', '=', eve.accountId).execute()
  await upload(8)
  const fourth = await upload(8)
  assert.equal((await waymark.review(rob, fourth, 'approve')).status, 200)
  await stream.receives(3)
  assert.deepEqual(received(), [first, second, fourth])
  await db.updateTable('account').set({ suspended_at: 1 }).where('id', '=', eve.accountId).execute()
  await stream.ends()
})

void test('Part D: a page of the site receives events with its session, until it is signed out; a page of another site does not', async (t) => {
  const member = await addSignedIn(waymark)
  const cookie = [...member.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const stream = await open(t, { cookie, 'sec-fetch-site': 'same-origin' })
  assert.equal(stream.status, 200)
  const position = await recordRoute(member.accountId)
  await stream.receives(1)
  assert.equal(stream.events()[0]?.position, position)
  assert.equal((await open(t, { cookie, 'sec-fetch-site': 'cross-site' })).status, 401)
  await db.deleteFrom('session').where('account_id', '=', member.accountId).execute()
  await stream.ends()
})

void test('Part D: a stream lasts longer than the request and idle timeouts', async () => {
  const short = await startWaymark({
    environment: { REQUEST_TIMEOUT: '1', IDLE_TIMEOUT: '1', KEEP_ALIVE_TIMEOUT: '1', HEADERS_TIMEOUT: '1' },
  })
  try {
    const eve = await short.addPerson()
    const stream = await openStream(short, { headers: bearer(eve) })
    const begun = performance.now()
    await stream.until(() => performance.now() - begun > 2_200, 'time to pass', 4_000)
    await recordRoute(eve.accountId, short)
    await stream.receives(1)
    await stream.close()
  } finally {
    await short.close()
  }
})

void test('trust 7: streams do not delay a stop, and end properly', async () => {
  const stopping = await startWaymark()
  const eve = await stopping.addPerson()
  const streams = await Promise.all([1, 2, 3].map(() => openStream(stopping, { headers: bearer(eve) })))
  const begun = performance.now()
  await stopping.close()
  await Promise.all(streams.map((stream) => stream.ends()))
  // The next heartbeat, at which a stream could notice by itself, is 15 s away.
  assert.ok(performance.now() - begun < 8_000, `${performance.now() - begun} ms`)
  assert.ok(streams.every(({ answer }) => answer.complete))
})

/** A reader that stops reading after the first bytes. */
async function openDeaf(at: Waymark, token: string, since: number) {
  const { hostname, port } = new URL(at.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.write(`GET /v2/events?since=${since} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  await once(socket, 'readable')
  return socket
}

void test('Part D: a reader that reads nothing is closed, and uses the memory of one batch until then; others are not affected', async (t) => {
  const at = waymark.system.now()
  // More than the kernel buffers on loopback.
  const data = { routeID: 1, acctID: ana.accountId, padding: 'x'.repeat(20_000) }
  const { position: start } = await askFeed(waymark, bearer(ana))
  await db.transaction().execute(async (tx) => {
    for (let made = 0; made < 600; made += 1)
      await recordEvent(tx, { type: 'route.updated', at, accountId: ana.accountId, data })
  })
  const deaf = await openDeaf(waymark, ana.token, start)
  t.after(() => deaf.destroy())
  const stream = await open(t, bearer(ana))
  const position = await recordRoute(ana.accountId)
  await stream.receives(1)
  assert.equal(stream.events()[0]?.position, position)
  // The server closes it: only the stream's connection and idle ones are left.
  let underWay = 2
  for (let tries = 0; tries < 1_500 && underWay > 1; tries += 1) {
    await pause(20)
    underWay = waymark.app.requestsUnderWay()
  }
  assert.equal(underWay, 1, 'the deaf one is gone')
})
