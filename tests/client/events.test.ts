// Events with the SDK: each exactly once, across broken connections, until the credential or the listener ends it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { createWaymark, type WaymarkEvent, type Waymark as Sdk } from '../../client/client.ts'
import { createFrameReader } from '../../client/sse.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'

let site: Waymark
let person: Person
let url: string
const sockets = new Set<Socket>()
const front = createServer((incoming) => {
  const outgoing = connect(Number(new URL(site.url).port), '127.0.0.1')
  for (const [socket, other] of [
    [incoming, outgoing],
    [outgoing, incoming],
  ] as const) {
    sockets.add(socket)
    socket.on('error', () => other.destroy()).once('close', () => sockets.delete(socket))
    socket.pipe(other)
  }
})
const cut = (): void => sockets.forEach((socket) => socket.resetAndDestroy())

before(async () => {
  site = await startWaymark({ heartbeatMs: 100 })
  person = await site.addPerson()
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
})
after(async () => {
  cut()
  front.close()
  await site.close()
})

const sdkOf = (token: string): Sdk => createWaymark({ baseUrl: url, credential: { bearer: token } })

/** Takes the next event from the stream. */
async function next(events: AsyncGenerator<WaymarkEvent, void>): Promise<WaymarkEvent> {
  const { value, done } = await events.next()
  assert.ok(!done && value, 'the stream has ended')
  return value
}

void test('events are delivered as they happen, none missed or repeated over a broken connection', async () => {
  const sdk = sdkOf(person.token)
  const states: string[] = []
  const { position } = await sdk.changes.page()
  const events = sdk.events({ lastPosition: position, onConnection: (state) => states.push(state) })
  const made: number[] = []
  const heard: number[] = []
  for (let round = 0; round < 3; round += 1) {
    made.push((await sdk.routes.create(person.accountId, { name: `Loop ${round}` })).routeID)
    const { type, data } = await next(events)
    assert.equal(type, 'route.created')
    heard.push('routeID' in data ? data.routeID : 0)
    cut()
  }
  assert.deepEqual(heard, made)
  assert.deepEqual(states.slice(0, 3), ['open', 'waiting', 'open'])
  await events.return()

  const items: WaymarkEvent[] = []
  for await (const event of sdk.changes.each({ since: position, types: ['route.created'], limit: 1 }))
    items.push(event)
  assert.deepEqual(
    items.map(({ data }) => ('routeID' in data ? data.routeID : 0)),
    made,
  )
})

void test('listening ends without an error when the caller stops it', async () => {
  const enough = new AbortController()
  const events = sdkOf(person.token).events({
    signal: enough.signal,
    onConnection: () => setImmediate(() => enough.abort()),
  })
  assert.deepEqual(await events.next(), { value: undefined, done: true })
})

void test('a subscription that is refused at once is an error', async () => {
  const refused = { name: 'WaymarkProblem', status: 401, code: 'invalid-token' }
  await assert.rejects(sdkOf('unknown').events().next(), refused)
  const tooFar = sdkOf(person.token).events({ lastPosition: 1_000_000 })
  await assert.rejects(tooFar.next(), { name: 'WaymarkProblem', status: 400 })
})

void test('frames are parsed correctly, however they are split', () => {
  const text =
    'retry: 3000\nid: 4\n\n:\nid: 5\n\nid: 6\r\nevent: image.approved\r\ndata: {"a":\r\ndata: 1}\r\n\r\ndata\n\n'
  const expected = [
    { id: '4', type: 'message', data: undefined, retryMs: 3_000 },
    { id: '5', type: 'message', data: undefined, retryMs: undefined },
    { id: '6', type: 'image.approved', data: '{"a":\n1}', retryMs: undefined },
    { id: '6', type: 'message', data: '', retryMs: undefined },
  ]
  for (const chunkLength of [1, 2, 3, 7, text.length]) {
    const read = createFrameReader()
    const frames = []
    for (let at = 0; at < text.length; at += chunkLength)
      frames.push(...read(text.slice(at, at + chunkLength)))
    assert.deepEqual(frames, expected, `in pieces of ${chunkLength}`)
  }
})
