// Paths, methods, formats and headers of the classic route endpoints (contract C1, C5, C6, C36, C37).
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { assertProblem, outcomeOf } from '../helpers/problems.ts'
import { methodsReachingNodes } from '../helpers/test-nodes.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { send } from '../helpers/wire.ts'
import { createRouteClient, gpxOf, jsonForm, xmlForm } from './route-client.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const ana = await waymark.addPerson({ id: 41 })
const client = createRouteClient(waymark, ana)
const { set, item, ask, write, make, read } = client
const id = await make({ name: 'a/b', gpx: gpxOf('45,7', '45.1,7') })
const bearer = { authorization: `Bearer ${ana.token}` }

void test('C1: no prefix, V1 and v1.6 behave the same, in any case, with or without a trailing slash', async () => {
  const one = (await read(id)).text
  for (const prefix of ['', '/V1', '/v1', '/v1.6', '/V1.6']) {
    for (const words of ['/Accounts/41/Routes', '/accounts/41/routes/', '/aCCounts/41/rOUTES']) {
      const answer = await ask(`${prefix}${words}/${id}/?utm=1&utm=2`.replace('//', '/'))
      assert.equal(await answer.text(), one)
      const whole = await ask(`${prefix}${words}`)
      assert.equal(await whole.text(), `[${one}]`)
    }
  }
  for (const path of [
    '/v2/Accounts/41/Routes',
    '/v1.7/Accounts/41/Routes',
    '/V1.60/Accounts/41/Routes',
    '/v/Accounts/41/Routes',
    '/Accounts/41/Route',
    '/Account/41/Routes',
    `/Accounts/41/Routes/${id}/x`,
    '/Accounts/41',
    '//Accounts/41/Routes',
  ]) {
    await assertProblem(await ask(path), 'not-found', path)
  }
})

void test('C5: HEAD responds as GET without the body, OPTIONS returns CORS headers, other methods get 405 with Allow', async () => {
  for (const [path, allow] of [
    [set, 'GET, HEAD, POST, PUT, OPTIONS'],
    [item(id), 'GET, HEAD, PUT, DELETE, OPTIONS'],
  ] as const) {
    const get = await ask(path)
    const body = await get.text()
    const head = await ask(path, { method: 'HEAD' })
    assert.equal(head.status, 200)
    assert.equal(await head.text(), '')
    const dated = /^(date|ratelimit.*|x-request-id|content-length|transfer-encoding|connection|keep-alive)$/
    const headersOf = ({ headers }: Response) => [...headers].filter(([name]) => !dated.test(name))
    assert.deepEqual(headersOf(head), headersOf(get))
    const length = head.headers.get('content-length')
    if (length !== null) assert.equal(Number(length), Buffer.byteLength(body))
    const others = ['PATCH', 'TRACE', 'PROPFIND', 'LOCK', path === set ? 'DELETE' : 'POST']
    for (const method of methodsReachingNodes(others)) {
      const answer = await ask(path, { method })
      assert.equal(answer.headers.get('allow'), allow, `${method} ${path}`)
      await assertProblem(answer, 'method-not-allowed', `${method} ${path}`)
    }
    const preflight = await send(waymark.url, {
      method: 'OPTIONS',
      path,
      headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'PUT' },
    })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers.get('access-control-allow-origin'), null, 'no origin is let in unasked')
    const options = await ask(path, { method: 'OPTIONS' })
    assert.equal(options.headers.get('allow'), allow)
  }
})

const accepts: readonly (readonly [accept: string, answer: string])[] = [
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['*', 'application/json'],
  ['application/*', 'application/json'],
  ['application/json;q=0.5, text/xml;q=0.6, application/xml;q=0.7', 'application/xml'],
  ['application/xml', 'application/xml'],
  ['text/xml; charset=utf-8', 'text/xml'],
  ['application/xml;q=0.8, application/json;q=0.9', 'application/json'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/json'],
  ['application/json;q=0, */*;q=0.1', 'application/xml'],
]
const unacceptable = ['text/html', 'image/png', 'application/gpx+xml', 'application/json;q=0', '*/*;q=0']

void test('C6: Accept decides the format of every response; if nothing is acceptable, 406 before anything is stored', async () => {
  for (const [at, [accept, expected]] of accepts.entries()) {
    const headers = { accept }
    const json = { headers, type: jsonForm.type }
    const answers = [await ask(set, { headers }), await ask(item(id), { headers })]
    if (at % 3 === 0) {
      const doomed = await make({ name: 'doomed' })
      answers.push(
        await write('POST', set, '[{}]', json),
        await write('PUT', item(id), '{}', json),
        await write('PUT', set, `{"routeID":${id}}`, json),
        await ask(item(doomed), { method: 'DELETE', headers }),
      )
    }
    for (const answer of answers) {
      const text = await answer.text()
      assert.equal(answer.headers.get('content-type'), `${expected}; charset=utf-8`, accept)
      assert.equal(answer.headers.get('vary'), 'Authorization, Accept')
      assert.equal(answer.headers.get('cache-control'), 'private, no-store')
      assert.equal(text.startsWith('<'), expected.endsWith('xml'), text)
    }
  }
  const before = await client.ids()
  const { text } = await read(id)
  for (const accept of unacceptable) {
    const headers = { accept }
    for (const answer of [
      await ask(set, { headers }),
      await ask(item(id), { headers }),
      await write('POST', set, '[{"name":"x"}]', { headers }),
      await write('PUT', item(id), '{"name":"x"}', { headers }),
      await write('PUT', set, `{"routeID":${id},"name":"x"}`, { headers }),
      await ask(item(id), { method: 'DELETE', headers }),
    ]) {
      await assertProblem(answer, 'not-acceptable', accept)
    }
  }
  assert.deepEqual(await client.ids(), before)
  assert.equal((await read(id)).text, text)
})

void test('C6: a body is JSON or XML by its Content-Type, without Content-Encoding; anything else gets 415', async () => {
  const xml = xmlForm.one({ name: 'x' })
  const json = jsonForm.one({ name: 'x' })
  const taken: readonly (readonly [type: string, body: string])[] = [
    ['application/json; charset=UTF-8', json],
    ['text/json', json],
    ['application/vnd.trails+json', json],
    ['APPLICATION/XML', xml],
    ['text/xml; charset="utf-8"', xml],
  ]
  for (const [type, body] of taken) {
    assert.equal(await outcomeOf(await write('PUT', item(id), body, { type })), '200', type)
    assert.equal(await outcomeOf(await write('POST', set, body, { type })), '201', type)
  }
  const before = await client.ids()
  const refused: readonly (readonly [
    type: string,
    body: string | Uint8Array,
    headers?: Record<string, string>,
  ])[] = [
    ['text/plain', json],
    ['application/gpx+xml2', xml],
    ['multipart/form-data; boundary=x', json],
    ['application/x-www-form-urlencoded', 'name=x'],
    ['', json],
    ['json', json],
    ['application/json; charset=iso-8859-1', json],
    ['application/xml; charset=windows-1252', xml],
    ['application/json', gzipSync(json), { 'content-encoding': 'gzip' }],
    ['application/json', json, { 'content-encoding': 'br' }],
    ['application/xml', xml, { 'content-encoding': 'identity, gzip' }],
  ]
  for (const [type, body, headers = {}] of refused) {
    const message = `${type} ${JSON.stringify(headers)}`
    await assertProblem(await write('POST', set, body, { type, headers }), 'unsupported-media-type', message)
    await assertProblem(
      await write('PUT', item(id), body, { type, headers }),
      'unsupported-media-type',
      message,
    )
    await assertProblem(await write('PUT', set, body, { type, headers }), 'unsupported-media-type', message)
  }
  for (const method of ['POST', 'PUT']) {
    const answer = await send(waymark.url, { method, path: set, headers: bearer, body: json })
    await assertProblem(answer, 'unsupported-media-type', `${method} without a Content-Type`)
  }
  assert.deepEqual(await client.ids(), before)
  const identity = await write('PUT', item(id), json, { headers: { 'content-encoding': 'identity' } })
  assert.equal(await outcomeOf(identity), '200')
})

void test('A6: DELETE needs no body, and ignores one', async () => {
  for (const sent of [{}, { body: '' }, { body: 'anything', headers: { 'content-type': 'text/plain' } }]) {
    const doomed = await make({})
    const answer = await ask(item(doomed), { method: 'DELETE', ...sent })
    assert.equal(`${answer.status} ${await answer.text()}`, '200 true')
    await assertProblem(await ask(item(doomed)), 'invalid-route-id')
    await assertProblem(await ask(item(doomed), { method: 'DELETE' }), 'invalid-route-id')
    await assertProblem(await write('PUT', item(doomed), '{}'), 'invalid-route-id')
  }
})

void test('a chunked body that arrives byte by byte, even within characters, is the same body', async () => {
  const name = 'Zürich 🏔 ½'
  const bytes = Buffer.from(jsonForm.many({ name, gpx: gpxOf('1,1') }))
  async function* slowly() {
    for (const byte of bytes) {
      yield Buffer.from([byte])
      await setImmediate()
    }
  }
  const body = Readable.from(slowly(), { objectMode: false })
  const answer = await write('POST', set, body)
  assert.equal(answer.status, 201)
  assert.equal((await read(Number(await answer.text()))).route.name, name)
})
