// HEAD wherever GET is supported, CORS on OPTIONS, and 405 with Allow for other methods (contract C5).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { imageSizes } from '../../src/shared/image-sizes.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { parseAnswer, say, send } from '../helpers/wire.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const staff = await waymark.addPerson({ role: 'admin' })
const key = await waymark.addKey(ana.accountId)
const imageId = await waymark.upload(ana, 4711, await jpegPicture({ width: 700, height: 500 }))
const pendingId = await waymark.upload(ana, 4711, await jpegPicture({ width: 12, height: 9 }))
assert.equal((await waymark.review(staff, imageId, 'approve')).status, 200)
const bearer = { authorization: `Bearer ${ana.token}` }

/** Every URL that serves images, and its methods besides OPTIONS; v2 may add more (C41). */
const endpoints = [
  { path: '/V1/Trails/4711/Images/', allowed: ['GET', 'HEAD', 'POST'], mayGrow: false },
  { path: `/Trails/4711/Images/${imageId}`, allowed: ['GET', 'HEAD', 'PUT'], mayGrow: false },
  { path: `/ImageHandler?id=${imageId}`, allowed: ['GET', 'HEAD'], mayGrow: false },
  { path: '/v2/images', allowed: ['GET', 'HEAD'], mayGrow: true },
  { path: `/v2/images/${imageId}`, allowed: ['GET', 'HEAD'], mayGrow: true },
  { path: `/v2/images/${imageId}/review`, allowed: ['POST'], mayGrow: true },
]
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'LINK', 'QUERY']

void test('C5: another method gets 405, before any credential is checked, and Allow lists the existing ones', async () => {
  for (const { path, allowed, mayGrow } of endpoints) {
    const options = await send(waymark.url, { method: 'OPTIONS', path })
    const listed = options.headers.get('allow')?.split(', ') ?? []
    for (const method of [...allowed, 'OPTIONS']) assert.ok(listed.includes(method), `${method} ${path}`)
    if (!mayGrow) assert.deepEqual(listed.toSorted(), [...allowed, 'OPTIONS'].toSorted())
    for (const method of methods.filter((method) => !listed.includes(method))) {
      const answer = await send(waymark.url, { method, path })
      assert.equal(answer.headers.get('allow'), listed.join(', '), `${method} ${path}`)
      if (method === 'HEAD') assert.equal(answer.status, 405)
      else await assertProblem(answer, 'method-not-allowed', `${method} ${path}`)
    }
  }
})

void test('C5: an unknown method of HTTP is like any other method; an invalid method is not even a request', async () => {
  const ask = async (line: string) => {
    const said = await say(waymark.url, `${line} HTTP/1.1\r\nHost: a\r\n\r\n`)
    assert.match(said, /^connection: close\r$/im, line)
    assert.equal(said.split('HTTP/1.1 ').length, 2, 'one answer')
    return parseAnswer(said)
  }
  for (const method of ['FOO', 'get', 'GETT', 'x-y', 'PROPFINDX']) {
    for (const path of ['/Trails/4711/Images', '/V1/trails/4711/images/?x=1']) {
      const answer = await ask(`${method} ${path}`)
      assert.equal(answer.headers.get('allow'), 'GET, HEAD, POST, OPTIONS', method)
      await assertProblem(answer, 'method-not-allowed', method)
    }
    await assertProblem(await ask(`${method} /nothing`), 'not-found', method)
  }
  for (const line of [' /', 'G\0T /', 'F(O /', 'FOO\t/', 'FOO x', `${'F'.repeat(100)} /`]) {
    await assertProblem(await ask(line), 'bad-request', line)
  }
  const connect = await ask('CONNECT trails.example:443')
  assert.match(connect.headers.get('allow') ?? '', /^(?=.*\bGET\b)(?!.*CONNECT)/)
  await assertProblem(connect, 'method-not-allowed', 'CONNECT')
  assert.equal((await ask('CONNECT /health/live')).headers.get('allow'), 'GET, HEAD, OPTIONS')
})

void test('C5 C31: a body that is never read, and its Content-Type, do not change the response', async () => {
  const body = Buffer.alloc(200_000, 'x')
  for (const type of [undefined, 'application/json', 'none', 'a b; c']) {
    const headers = type === undefined ? {} : { 'content-type': type }
    const ask = (method: string, path: string) => send(waymark.url, { method, path, headers, body })
    for (const method of ['PATCH', 'DELETE', 'PUT', 'QUERY']) {
      await assertProblem(await ask(method, '/Trails/4711/Images'), 'method-not-allowed', `${method} ${type}`)
    }
    await assertProblem(await ask('POST', '/nothing'), 'not-found', type)
    assert.equal((await ask('OPTIONS', '/Trails/4711/Images')).status, 204, `${type}`)
  }
})

/** Headers that vary between responses without a meaning. */
const changing: ReadonlySet<string> = new Set(['date', 'ratelimit'])
const steadyHeaders = (answer: Response): [string, string][] =>
  [...answer.headers].filter(([name]) => !changing.has(name))

void test('C5 C27: HEAD returns what GET returns, and nothing after the headers', async () => {
  const requests: { path: string; headers?: Record<string, string> }[] = [
    { path: `/Trails/4711/Images?api_key=${key}` },
    { path: `/Trails/4711/Images?api_key=${key}`, headers: { accept: 'text/xml' } },
    { path: `/Trails/4711/Images/${imageId}`, headers: bearer },
    { path: '/v2/images?limit=1', headers: bearer },
    { path: `/v2/images/${imageId}`, headers: bearer },
    ...imageSizes.flatMap((size) =>
      [imageId, pendingId].map((id) => ({ path: `/ImageHandler?id=${id}&t=${size}` })),
    ),
    { path: '/Trails/4711/Images' },
    { path: `/Trails/999/Images?api_key=${key}` },
    { path: '/ImageHandler?id=1' },
    { path: '/ImageHandler' },
    { path: '/health/live' },
    { path: '/problems/forbidden' },
    { path: '/openapi.json' },
  ]
  for (const request of requests) {
    const get = await send(waymark.url, request)
    const head = await send(waymark.url, { ...request, method: 'HEAD' })
    assert.equal(head.status, get.status, request.path)
    assert.deepEqual(steadyHeaders(head), steadyHeaders(get), request.path)
    const bytes = await get.arrayBuffer()
    assert.equal(head.headers.get('content-length'), String(bytes.byteLength), request.path)
    assert.equal((await head.arrayBuffer()).byteLength, 0)
  }
})

void test('C5 C27: HEAD supports conditions like GET, but not Range, which is defined for GET only', async () => {
  const path = `/ImageHandler?id=${imageId}`
  const get = await send(waymark.url, { path })
  const etag = get.headers.get('etag') ?? ''
  const unchanged = await send(waymark.url, { method: 'HEAD', path, headers: { 'if-none-match': etag } })
  assert.equal(unchanged.status, 304)
  const ranged = await send(waymark.url, { method: 'HEAD', path, headers: { range: 'bytes=0-9' } })
  assert.equal(ranged.status, 200)
  assert.equal(ranged.headers.get('content-length'), get.headers.get('content-length'))
})

interface Preflight {
  readonly path: string
  readonly method: string
  readonly isOpen: boolean
}

const preflights: readonly Preflight[] = [
  { path: '/V1/Trails/4711/Images', method: 'GET', isOpen: true },
  { path: `/Trails/4711/Images/${imageId}`, method: 'GET', isOpen: true },
  { path: '/ImageHandler', method: 'GET', isOpen: true },
  { path: `/v2/images/${imageId}`, method: 'GET', isOpen: true },
  { path: '/V1/Trails/4711/Images', method: 'POST', isOpen: false },
  { path: `/Trails/4711/Images/${imageId}`, method: 'PUT', isOpen: false },
  { path: '/v2/images', method: 'GET', isOpen: false },
  { path: `/v2/images/${imageId}/review`, method: 'POST', isOpen: false },
]

void test('C5 D2: a preflight allows any origin what an API key allows and images, without cookies, and nothing else', async () => {
  for (const { path, method, isOpen } of preflights) {
    const preflight = await send(waymark.url, {
      method: 'OPTIONS',
      path,
      headers: {
        origin: 'https://elsewhere.example',
        'access-control-request-method': method,
        'access-control-request-headers': 'x-api-key',
      },
    })
    const message = `${method} ${path}`
    assert.equal(preflight.status, 204, message)
    assert.equal(preflight.headers.get('access-control-allow-origin'), isOpen ? '*' : null, message)
    assert.equal(preflight.headers.get('access-control-allow-credentials'), null, message)
    if (!isOpen) continue
    const allowed = preflight.headers.get('access-control-allow-methods')?.split(', ') ?? []
    assert.ok(allowed.includes(method), message)
    const headers = preflight.headers.get('access-control-allow-headers')?.toLowerCase().split(', ') ?? []
    for (const name of ['x-api-key', 'authorization', 'if-none-match', 'range']) {
      assert.ok(headers.includes(name), `${message} ${name}`)
    }
  }
})

void test('C5: OPTIONS needs no credential, and is Not Found for unknown paths', async () => {
  for (const { path } of endpoints) {
    const options = await send(waymark.url, { method: 'OPTIONS', path })
    assert.equal(options.status, 204, path)
    assert.equal((await options.arrayBuffer()).byteLength, 0)
  }
  await assertProblem(await send(waymark.url, { method: 'OPTIONS', path: '/nothing' }), 'not-found')
})

void test('C5 D2: responses have the same CORS headers, also refusals', async () => {
  const origin = 'https://elsewhere.example'
  const allowed = async (path: string, headers: Record<string, string> = {}): Promise<string | null> => {
    const answer = await send(waymark.url, { path, headers: { origin, ...headers } })
    return answer.headers.get('access-control-allow-origin')
  }
  assert.equal(await allowed(`/Trails/4711/Images?api_key=${key}`), '*')
  assert.equal(await allowed('/Trails/4711/Images?api_key=wrong'), '*')
  assert.equal(await allowed(`/ImageHandler?id=${imageId}`), '*')
  assert.equal(await allowed('/v2/images', bearer), null)
})
