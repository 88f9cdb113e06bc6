// Problem documents: their pages, their format, what they never contain, and that no request gets 500 (contract C37).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { refusals } from '../../src/errors.ts'
import { escapeHtml } from '../../src/site/html.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem, leak, type SeenProblem } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { parseAnswer, say, send } from '../helpers/wire.ts'

const waymark = await startWaymark()
// The same store, served below a path.
const mounted = await startWaymark({
  dataDir: waymark.dataDir,
  environment: { PUBLIC_URL: 'https://trails.example/photos/' },
})
after(async () => {
  await mounted.close()
  await waymark.close()
})
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const rob = await waymark.addPerson({ role: 'reviewer' })
const key = await waymark.addKey(ana.accountId)
const imageId = await waymark.upload(ana, 4711, await jpegPicture({ width: 12, height: 9 }))
assert.equal((await waymark.review(rob, imageId, 'approve')).status, 200)
const bearer = { authorization: `Bearer ${rob.token}` }

void test('C37: the type of every problem resolves to a page with its title and status', async () => {
  const index = await (await send(waymark.url, { path: '/problems' })).text()
  for (const [code, { status, title, help }] of Object.entries(refusals)) {
    const answer = await send(waymark.url, { path: `/problems/${code}` })
    const html = await answer.text()
    assert.equal(answer.status, 200, code)
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none'/)
    const escaped = escapeHtml(help)
    for (const text of [`<h1>${title}</h1>`, String(status), code, escaped]) {
      assert.ok(html.includes(text), `${code}: ${text}`)
    }
    assert.ok(index.includes(`href="/problems/${code}"`), code)
  }
  for (const code of ['nothing', '__proto__', 'constructor', 'toString', '%3Cscript%3E', '..', '%00']) {
    await assertProblem(await send(waymark.url, { path: `/problems/${code}` }), 'not-found', code)
  }
})

void test('C37: the exact messages and their statuses', () => {
  const given = {
    'invalid-trail-id': [404, 'Invalid Trail ID'],
    'invalid-image-id': [404, 'Invalid Image ID'],
    'invalid-account-id': [404, 'Invalid Account ID'],
    forbidden: [403, 'Forbidden'],
  } as const
  for (const [code, expected] of Object.entries(given)) {
    const { status, title } = refusals[code as keyof typeof given]
    assert.deepEqual([status, title], expected)
  }
})

void test('C37: every refused request has its own ID, and both formats say the same', async () => {
  const ask = (accept: string) =>
    send(waymark.url, { path: `/Trails/4711/Images/x?api_key=${key}`, headers: { accept } })
  const json = (await (await ask('application/json')).json()) as SeenProblem
  const xml = await (await ask('application/xml')).text()
  const member = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]
  for (const name of ['type', 'title'] as const) assert.equal(member(name), json[name])
  assert.equal(member('status'), '404')
  assert.match(member('instance') ?? '', /^urn:waymark:request:[\da-f-]{36}$/)
  assert.notEqual(member('instance'), json.instance)
})

void test('A1 C37: with a path in PUBLIC_URL, every URL in a response has it, and both paths are served', async () => {
  const base = 'https://trails.example/photos'
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    send(mounted.url, { path, headers, method })
  for (const prefix of ['', '/photos', '/photos/V1']) {
    const problem = (await (await ask(`${prefix}/Trails/1/Images`, bearer)).json()) as SeenProblem
    assert.equal(problem.type, `${base}/problems/invalid-trail-id`, prefix)
    assert.equal((await ask(`${prefix}/Trails/4711/Images?api_key=${key}`)).status, 200, prefix)
    assert.equal((await ask(`${prefix}/ImageHandler/?id=${imageId}&t=sm`)).status, 200, prefix)
    const wrongMethod = await ask(`${prefix}/Trails/4711/Images`, {}, 'DELETE')
    assert.equal(wrongMethod.headers.get('allow'), 'GET, HEAD, POST, OPTIONS', prefix)
  }
  assert.equal((await ask('/photos/problems/invalid-trail-id')).status, 200)
  const image = (await (await ask(`/photos/v2/images/${imageId}`, bearer)).json()) as { urls: { sm: string } }
  assert.equal(image.urls.sm, `${base}/ImageHandler?id=${imageId}&t=sm`)
  const challenge = (await ask('/photos/v2/images')).headers.get('www-authenticate') ?? ''
  assert.ok(challenge.includes(`"${base}/.well-known/oauth-protected-resource`), challenge)
  const link = (await ask('/photos/v2/images?limit=1', bearer)).headers.get('link')
  assert.ok(link === null || link.startsWith(`<${base}/v2/images?`), link ?? '')
  for (const path of [
    '/photosx/Trails/4711/Images',
    '/Photos/Trails/4711/Images',
    '/photos/photos/ImageHandler',
  ]) {
    assert.equal((await ask(path, bearer)).status, 404, path)
  }
  const upload = await send(mounted.url, {
    method: 'POST',
    path: '/photos/V1/Trails/4711/Images/',
    headers: { authorization: `Bearer ${ana.token}` },
    body: await jpegPicture({ width: 12, height: 9, seed: 1 }),
  })
  assert.equal(upload.headers.get('location'), `${base}/Trails/4711/Images/${await upload.text()}`)
})

const nasty = [
  '',
  ' ',
  ',',
  ';',
  '=',
  '"',
  '*',
  '/',
  '\\',
  '%',
  '%00',
  '%zz',
  '\t',
  'é\u00ff',
  '{}',
  '[]',
  'null',
  '__proto__',
  'a'.repeat(3_000),
  ','.repeat(3_000),
  ';q=1'.repeat(500),
  '*/*;q=9e999, a/b;q=-1, ;;;',
  "' or 1=1 --",
  '<script>',
  '${jndi:ldap://127.0.0.1:1/}',
  '18446744073709551616',
  '-1',
  'bytes=-',
  'bytes=0-9,5-,-3,99999999999999999999999-',
  'text/html;charset=utf-16;charset="x\\"',
  'Bearer a.b.c',
]
const headerNames = [
  'accept',
  'authorization',
  'x-api-key',
  'content-type',
  'content-encoding',
  'if-match',
  'if-none-match',
  'if-range',
  'range',
  'origin',
  'access-control-request-method',
  'x-forwarded-for',
  'x-forwarded-host',
  'idempotency-key',
  'cookie',
]

void test('C37: no header, however strange, causes a 500, and no response contains code, SQL, a path or a secret', async () => {
  const requests = [
    { method: 'GET', path: '/Trails/4711/Images' },
    { method: 'PUT', path: `/V1/Trails/4711/Images/${imageId}`, body: '{}' },
    { method: 'GET', path: `/ImageHandler?id=${imageId}` },
  ]
  for (const name of headerNames) {
    for (const value of nasty) {
      const request = requests[(name.length + value.length) % requests.length]
      assert.ok(request)
      const answer = await send(waymark.url, { ...request, headers: { ...bearer, [name]: value } })
      const text = await answer.text()
      assert.ok(answer.status < 500, `${name}: ${value.slice(0, 40)} → ${answer.status} ${text}`)
      if (answer.status >= 400) assert.doesNotMatch(text, leak)
    }
  }
})

void test('C37: no query, however strange, causes a 500', async () => {
  const farCursor = Buffer.from('999999999999999.9999999999999999').toString('base64url')
  const queries = [
    ...nasty.flatMap((value) =>
      ['id', 't', 'api_key', 'limit', 'bbox'].map((name) => `${name}=${encodeURI(value)}`),
    ),
    `cursor=${farCursor}`,
    'a[b]=c&a[__proto__]=d&__proto__=e&constructor.prototype=f',
    '&&&===&?&#'.replace('#', '%23'),
    'x=1&'.repeat(1_500),
    '%',
    'id=%E0%A4%A&t=%',
    `since=${'9'.repeat(300)}`,
    'since=9999-12-31T23:59:59.999999999-23:59',
    'bbox=%2B1,%2B1,%2B1,%2B1',
  ]
  const paths = ['/ImageHandler', '/v2/images', '/V1/Trails/4711/Images/']
  for (const [index, query] of queries.entries()) {
    const path = `${paths[index % paths.length]}?${query}`
    const answer = await send(waymark.url, { path, headers: bearer })
    const text = await answer.text()
    assert.ok(answer.status < 500, `${path.slice(0, 80)} → ${answer.status} ${text}`)
    if (answer.status >= 400) assert.doesNotMatch(text, leak)
  }
})

void test('C37: invalid HTTP is refused with a problem, and the connection is closed', async () => {
  const line = 'GET /Trails/4711/Images HTTP/1.1\r\nHost: a\r\n'
  const cases: Readonly<Record<string, readonly [code: 'bad-request' | 'headers-too-large', bytes: string]>> =
    {
      garbage: ['bad-request', 'hello\r\n\r\n'],
      'a TLS greeting': ['bad-request', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
      'HTTP/9.9': ['bad-request', 'GET / HTTP/9.9\r\n\r\n'],
      'no colon': ['bad-request', `${line}nothing\r\n\r\n`],
      'a folded header': ['bad-request', `${line}A: b\r\n c\r\n\r\n`],
      'a space before the colon': ['bad-request', `${line}A : b\r\n\r\n`],
      'a control character': ['bad-request', `${line}A: b\x01c\r\n\r\n`],
      'bare line feeds': ['bad-request', 'GET / HTTP/1.1\nHost: a\n\n'],
      'a long header': ['headers-too-large', `${line}A: ${'x'.repeat(20_000)}\r\n\r\n`],
      'no Host': ['bad-request', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    }
  for (const [name, [code, bytes]] of Object.entries(cases)) {
    const said = await say(waymark.url, Buffer.from(bytes, 'latin1'))
    await assertProblem(parseAnswer(said), code, name)
    assert.match(said, /^connection: close\r$/im, name)
  }
})

void test('C37: an unknown expectation changes nothing', async () => {
  for (const expect of ['x', '100-continue', '100-continue, x']) {
    const answer = await send(waymark.url, { path: '/Trails/4711/Images', headers: { expect } })
    await assertProblem(answer, 'credential-required', expect)
  }
})

void test('C37: more than 100 header fields are refused, 100 are not', async () => {
  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, '1']))
  // Node adds Host and Connection.
  assert.equal((await send(waymark.url, { path: '/health/live', headers: fields(98) })).status, 200)
  const answer = await send(waymark.url, { path: '/health/live', headers: fields(99) })
  await assertProblem(answer, 'headers-too-large')
})

void test('C37: a stopping server finishes requests in progress and refuses later ones with a problem', async () => {
  const stopping = await startWaymark({ dataDir: waymark.dataDir })
  const underWay = openSocket(stopping.url)
  const start = `PUT /Trails/4711/Images/${imageId} HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer.authorization}\r\n`
  underWay.socket.write(`${start}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{`)
  const late = openSocket(stopping.url)
  late.socket.write('GET /Trails/4711/Images HTTP/1.1\r\nHost: a\r\n')
  for (let turn = 0; turn < 20; turn += 1) {
    await (await send(stopping.url, { path: '/health/live', headers: { connection: 'close' } })).arrayBuffer()
  }
  const closed = stopping.close()
  underWay.socket.write('}')
  late.socket.write('\r\n')
  await Promise.all([closed, once(underWay.socket, 'close'), once(late.socket, 'close')])
  const finished = parseAnswer(underWay.said())
  assert.equal(finished.headers.get('connection'), 'close')
  assert.equal(await finished.text(), 'true')
  const refused = parseAnswer(late.said())
  assert.equal(refused.headers.get('retry-after'), '5')
  assert.equal(refused.headers.get('connection'), 'close')
  await assertProblem(refused, 'busy')
})

/** A connection, and what has been received on it so far. */
function openSocket(url: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString('latin1')))
  return { socket, said: () => text }
}
