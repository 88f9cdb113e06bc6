// Rules for every endpoint: methods, and headers of every response (C5, C37, trust 59, 61, 62).
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { METHODS } from 'node:http'
import { after, test } from 'node:test'
import { addressOf, endpointsOf } from '../helpers/endpoints.ts'
import { createFaultyBlobs } from '../helpers/faulty-blobs.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem, leak } from '../helpers/problems.ts'
import { makeTinyApp } from '../helpers/tiny-app.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { parseAnswer, say, send } from '../helpers/wire.ts'

const faulty = createFaultyBlobs()
// Without the image cache, every view uses the store, which can then fail.
const webFolder = await makeTinyApp()
const waymark = await startWaymark({
  wrapBlobs: faulty.wrap,
  webFolder,
  environment: { IMAGE_CACHE_MEGABYTES: '0', WEB_APP: 'on' },
})
const tight = await startWaymark({ environment: { RATE_LIMIT_FACTOR: '0.00001' } })
after(async () => {
  await tight.close()
  await waymark.close()
  await rm(webFolder, { recursive: true })
})
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const rob = await waymark.addPerson({ role: 'reviewer' })
const key = await waymark.addKey(ana.accountId)
const imageID = await waymark.upload(ana, 4711, await jpegPicture())
assert.equal((await waymark.review(rob, imageID, 'approve')).status, 200)
const endpoints = endpointsOf(waymark.app.server)
const things = {
  trailID: 4711,
  imageID,
  code: 'forbidden',
  acctID: ana.accountId,
  prefix: 'wm_none1234',
  clientId: 'wmc_none',
  sessionId: 'none',
  invitation: 'none',
  token: 'none',
  uid: 'none',
}
const addresses = endpoints.map((endpoint) => {
  const path = addressOf(endpoint, things)
  return { ...endpoint, path: path === '/ImageHandler' ? `${path}?id=${imageID}` : path }
})

/** One request on a separate connection, with any method. */
async function ask(method: string, path: string, ...headers: string[]): Promise<Response> {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: a', 'Connection: close', ...headers, '', '']
  return parseAnswer(await say(waymark.url, lines.join('\r\n')))
}

/**
 * For every endpoint. Other methods, known or invalid, are spread over the endpoints, since each needs its own
 * connection.
 */
const usualMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']
const rareMethods = [...METHODS.filter((method) => !usualMethods.includes(method)), 'FOO', 'get']

void test('the router lists its endpoints', () => {
  const patterns = endpoints.map(({ pattern }) => pattern)
  for (const known of [
    '/',
    '/health/live',
    '/Trails/:trailID/Images/:imageID',
    '/v2/images/:imageID/review',
  ]) {
    assert.ok(patterns.includes(known), `${known} of ${patterns.join(' ')}`)
  }
})

void test('C5 trust 61: at every endpoint, any other method is 405 with Allow, OPTIONS is 204, and HEAD exists with GET', async () => {
  for (const [at, { path, methods }] of addresses.entries()) {
    const allowed = [...methods, 'OPTIONS'].toSorted()
    assert.equal(methods.includes('HEAD'), methods.includes('GET'), path)
    const listed = (answer: Response) => answer.headers.get('allow')?.split(', ').toSorted()
    const tried = [...usualMethods, ...rareMethods.filter((_, index) => index % 5 === at % 5)]
    for (const method of tried.filter((method) => !allowed.includes(method))) {
      const answer = await ask(method, path, 'X-Sesame: open')
      assert.deepEqual(listed(answer), allowed, `${method} ${path}`)
      if (method === 'HEAD') assert.equal(answer.status, 405, path)
      else {
        const problem = await assertProblem(answer, 'method-not-allowed', `${method} ${path}`)
        assert.doesNotMatch(JSON.stringify(problem), /sesame/i)
      }
    }
    const options = await ask('OPTIONS', path)
    assert.equal(options.status, 204, path)
    assert.deepEqual(listed(options), allowed, path)
  }
})

/** Headers that every response must have, and must not have. */
function assertHeaders(answer: Response, message: string): void {
  const { headers } = answer
  assert.equal(headers.get('x-content-type-options'), 'nosniff', message)
  assert.equal(headers.get('referrer-policy'), 'no-referrer', message)
  assert.equal(headers.get('strict-transport-security'), 'max-age=31536000', message)
  assert.ok(headers.get('date'), message)
  assert.equal(headers.get('server'), null, message)
  assert.equal(headers.get('x-powered-by'), null, message)
}

type Headers = Readonly<Record<string, string>>
const authorized: Headers = { authorization: `Bearer ${rob.token}` }
const credentials: readonly Headers[] = [
  {},
  { 'x-api-key': key },
  { authorization: `Bearer ${ana.token}` },
  authorized,
  { authorization: 'Bearer wrong' },
]
/** Each gives some endpoint a particular status. */
const extras: readonly Headers[] = [
  {},
  { accept: 'image/png' },
  { 'if-none-match': '*' },
  { range: 'bytes=9999999-' },
  { range: 'bytes=0-1' },
  { 'if-match': '"x"', 'content-type': 'application/json' },
]

const asked: Headers[] = [...credentials]
for (const more of extras) asked.push({ ...authorized, ...more })

void test('trust 59, 62: every response has the security headers, and nothing that depends on a credential may be cached', async () => {
  const statuses = new Set<number>()
  async function check(method: string, path: string, headers: Headers): Promise<void> {
    const answer = await send(waymark.url, { method, path, headers })
    const message = `${method} ${path} ${JSON.stringify(headers)}: ${answer.status}`
    statuses.add(answer.status)
    assert.ok(answer.status < 500, message)
    assertHeaders(answer, message)
    const caching = answer.headers.get('cache-control') ?? ''
    if (method === 'GET' || method === 'HEAD') {
      // A map requests the same tiles with every move, so clients with a key may cache them for a minute.
      const isTile = path.startsWith('/v2/tiles/') && caching === 'private, max-age=60'
      if (!isTile)
        assert.match(caching, /^(public, max-age=\d+|private, no-(store|cache)|no-store)$/, message)
      if (/^\/(v2|Trails)/.test(path)) assert.doesNotMatch(caching, /public/, message)
    }
    if (answer.status < 400) return
    assert.match(caching, /no-store/, message)
    assert.doesNotMatch(await answer.text(), leak, message)
  }
  for (const { path, methods } of addresses) {
    for (const method of [...methods, 'OPTIONS', 'TRACE']) {
      await Promise.all(asked.map((headers) => check(method, path, headers)))
    }
  }
  for (const status of [200, 204, 206, 304, 400, 401, 403, 405, 406, 412, 415, 416]) {
    assert.ok(statuses.has(status), `no answer was ${status}`)
  }
})

/** Faults of a store, and the response. */
const faults = {
  EIO: 'storage-unavailable',
  EROFS: 'storage-unavailable',
  EMFILE: 'storage-unavailable',
  ENFILE: 'storage-unavailable',
  EACCES: 'storage-unavailable',
  EPERM: 'storage-unavailable',
  ENOMEM: 'storage-unavailable',
  ETIMEDOUT: 'storage-unavailable',
  ENOSPC: 'insufficient-storage',
  EDQUOT: 'insufficient-storage',
  EFBIG: 'insufficient-storage',
  EBUSY: 'busy',
  EWHATEVER: 'internal-error',
} as const

void test('trust 62: so do responses to malformed requests, and to internal errors', async () => {
  const raw: Readonly<Record<string, string>> = {
    400: 'garbage\r\n\r\n',
    404: `FOO /nothing HTTP/1.1\r\nHost: a\r\n\r\n`,
    405: 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
    414: `GET /${'x'.repeat(9_000)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    431: `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(30_000)}\r\n\r\n`,
  }
  for (const [status, bytes] of Object.entries(raw)) {
    const answer = parseAnswer(await say(waymark.url, bytes))
    assert.equal(answer.status, Number(status))
    assertHeaders(answer, status)
    assert.equal(answer.headers.get('cache-control'), 'no-store', status)
    assert.doesNotMatch(await answer.text(), leak)
  }
  for (const [code, status] of Object.entries(faults)) {
    faulty.arm({ at: 1, isDone: false, code })
    const answer = await send(waymark.url, { path: `/ImageHandler?id=${imageID}` })
    faulty.disarm()
    assertHeaders(answer, code)
    const retryAfter = { 'storage-unavailable': '5', busy: '1' }[status as string] ?? null
    assert.equal(answer.headers.get('retry-after'), retryAfter, code)
    await assertProblem(answer, status, code)
  }
  const limited = await send(tight.url, { path: '/problems' })
  assert.equal(limited.status, 200)
  const refused = await send(tight.url, { path: '/problems' })
  assertHeaders(refused, '429')
  await assertProblem(refused, 'too-many-requests')
})
