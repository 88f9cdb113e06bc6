// The cost of an owner's reads of one long route: units by its size, and memory for a few at a time (issue 20, 1 and 3).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { test, type TestContext } from 'node:test'
import type { Environment } from '../../src/settings/config.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'
import { createRouteClient, gpxOf } from './route-client.ts'

/** More than the kernel buffers for a client that does not read. */
const gpx = gpxOf('45,7', '45.1,7').replace('<trk>', `<trk><desc>${'notes '.repeat(1_300_000)}</desc>`)
const MiB = 1024 ** 2

async function withRoute(t: TestContext, environment: Environment) {
  const waymark = await startWaymark({ environment })
  t.after(() => waymark.close())
  const person = await waymark.addPerson()
  const theirs = createRouteClient(waymark, person)
  const id = await theirs.make({ name: 'n', description: 'd', length: 1.5, gpx })
  return { waymark, person, theirs, id }
}

const leftIn = ({ headers }: Response): number =>
  Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1])

void test('a classic read of a long route costs by its bytes, and a 304 costs nothing more', async (t) => {
  const { theirs, id } = await withRoute(t, { RATE_LIMIT_FACTOR: '1' })
  const path = theirs.item(id)
  const units = Math.floor(Buffer.byteLength(gpx) / MiB)
  for (const accept of ['application/json', 'application/xml']) {
    const first = await theirs.ask(path, { headers: { accept } })
    await first.arrayBuffer()
    const second = await theirs.ask(path, { headers: { accept } })
    await second.arrayBuffer()
    assert.equal(leftIn(second), leftIn(first) - 1 - units, accept)
    const headers = { accept, 'if-none-match': second.headers.get('etag') ?? '' }
    const known = await theirs.ask(path, { headers })
    assert.deepEqual([known.status, leftIn(known)], [304, leftIn(second) - 1], accept)
  }
})

interface Reading {
  readonly client: ClientRequest
  readonly answer: Promise<IncomingMessage>
}

/** Sends a request and reads only the head of the response. */
function begin({ url }: Waymark, path: string, token: string): Reading {
  const client = request(url + path, { agent: false, headers: { authorization: `Bearer ${token}` } }).end()
  client.on('error', () => undefined)
  return { client, answer: once(client, 'response').then(([answer]) => answer as IncomingMessage) }
}

void test('an account reads four long routes at once, and further requests wait', async (t) => {
  const { waymark, person, theirs, id } = await withRoute(t, {})
  const ways = [theirs.item(id), `/v2/routes/${id}`, `/v2/routes/${id}.gpx`, theirs.item(id)]
  const four = ways.map((path) => begin(waymark, path, person.token))
  for (const { answer } of four) assert.equal((await answer).statusCode, 200)
  const gone = begin(waymark, ways[2] ?? '', person.token)
  const fifth = begin(waymark, ways[0] ?? '', person.token)
  let isAnswered = false
  const whole = fifth.answer.then(async (answer) => {
    isAnswered = true
    const text = Buffer.concat(await answer.toArray()).toString()
    return { status: answer.statusCode, gpx: (JSON.parse(text) as { gpx: string }).gpx }
  })
  gone.answer.catch(() => undefined)
  gone.client.destroy()
  // Neither others nor short responses for the same person have to wait.
  const other = await waymark.addPerson()
  const short = await createRouteClient(waymark, other).make({
    name: 's',
    description: '',
    length: 1,
    gpx: '',
  })
  const path = createRouteClient(waymark, other).item(short)
  for (let turn = 0; turn < 20; turn += 1)
    assert.equal((await waymark.fetch(path, { token: other.token })).status, 200)
  assert.equal((await theirs.ask(theirs.set, { method: 'HEAD' })).status, 200)
  assert.equal(isAnswered, false)
  four[0]?.client.destroy()
  assert.deepEqual(await whole, { status: 200, gpx })
  for (const { client } of four) client.destroy()
})

void test('a request that waits longer than REQUEST_TIMEOUT gets 503 with Retry-After', async (t) => {
  const { waymark, person, theirs, id } = await withRoute(t, { REQUEST_TIMEOUT: '1' })
  const four = Array.from({ length: 4 }, () => begin(waymark, theirs.item(id), person.token))
  for (const { answer } of four) assert.equal((await answer).statusCode, 200)
  const { answer } = begin(waymark, theirs.item(id), person.token)
  const { statusCode, headers } = await answer
  assert.deepEqual([statusCode, headers['retry-after']], [503, '5'])
  for (const { client } of four) client.destroy()
})
