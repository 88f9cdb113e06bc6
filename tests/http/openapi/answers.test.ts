// Tests that startWaymark's watch reports responses that /openapi.json does not document.
import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { watchAnswers } from '../../helpers/answer-watch.ts'

const schema = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }
const operation = { responses: { 200: { content: { 'application/json': { schema } } }, 304: {} } }
const classic = {
  responses: {
    200: { content: { 'application/xml': {}, 'text/xml': {} } },
    404: { content: { 'application/problem+json': {} } },
  },
}
const document = {
  paths: {
    '/v2/things/{id}': { get: operation },
    '/v2/located/{id}': {
      get: { responses: { 200: { headers: { Location: {} }, content: { 'application/json': { schema } } } } },
    },
    '/v2/things/{id}.gpx': { get: { responses: { 200: { content: { 'application/gpx+xml': {} } } } } },
    '/Trails/{trailID}/Images': { get: classic },
  },
}

/** What is reported about a server with these responses, for requests of these paths. */
async function breachesOf(answer: RequestListener, ...paths: string[]): Promise<string[]> {
  const server = createServer(answer)
  const breaches = watchAnswers({
    server,
    document: () => document,
    documentKey: 'seeded',
    publicUrl: 'https://trails.example/mount',
    mayFail: false,
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  for (const path of paths) {
    const [method = '', address = ''] = path.split(' ')
    const answered = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${address}`, {
      method,
    })
    await answered.arrayBuffer()
  }
  await new Promise((resolve) => server.close(resolve))
  return breaches()
}

const json = { 'Content-Type': 'application/json; charset=utf-8' }

void test('documented responses pass, in any format and for any spelling of the URL', async () => {
  const asked = [
    'GET /v2/things/1',
    'GET /mount/v2/things/2?x=1',
    'HEAD /v2/things/1',
    'POST /v2/things/1',
    'GET /else',
  ]
  assert.deepEqual(await breachesOf((_, answer) => answer.writeHead(200, json).end('{"id":1}'), ...asked), [])
  const inChunks: RequestListener = (_, answer) => {
    answer.setHeader('content-type', 'application/json')
    answer.write('{"id"')
    answer.end(Buffer.from(':1}'))
  }
  assert.deepEqual(await breachesOf(inChunks, 'GET /v2/things/1'), [])
  assert.deepEqual(await breachesOf((_, answer) => answer.writeHead(304).end(), 'GET /v2/things/1'), [])
  const asXml: RequestListener = (_, answer) =>
    answer.writeHead(200, { 'content-type': 'text/xml' }).end('<a/>')
  const spellings = [
    '/Trails/7/Images',
    '/V1/trails/7/images/',
    '/v1.6/TRAILS/x/Images',
    '/mount/Trails/7/Images',
  ]
  assert.deepEqual(await breachesOf(asXml, ...spellings.map((path) => `GET ${path}`)), [])
})

void test('a Location that is sent but not documented, or documented but not sent', async () => {
  const sending: RequestListener = (_, answer) =>
    answer.writeHead(200, { ...json, Location: '/v2/things/1' }).end('{"id":1}')
  assert.deepEqual(await breachesOf(sending, 'GET /v2/things/1'), [
    'GET /v2/things/{id} answered 200 application/json, with a Location that is not documented',
  ])
  assert.deepEqual(await breachesOf(sending, 'GET /v2/located/1'), [])
  assert.deepEqual(
    await breachesOf((_, answer) => answer.writeHead(200, json).end('{"id":1}'), 'GET /v2/located/1'),
    ['GET /v2/located/{id} answered 200 application/json, without the Location that is documented'],
  )
})

void test('a status, a media type, a schema: each is reported once, with the operation', async () => {
  const ask = (answer: RequestListener) =>
    breachesOf(answer, 'GET /v2/things/1', 'GET /v2/things/2', 'GET /V1/trails/7/Images')
  assert.deepEqual(await ask((_, answer) => answer.writeHead(418, json).end('{}')), [
    'GET /v2/things/{id} answered 418 application/json, a status that is not documented',
    'GET /Trails/{trailID}/Images answered 418 application/json, a status that is not documented',
  ])
  assert.deepEqual(await ask((_, answer) => answer.writeHead(200, ['Content-Type', 'text/plain']).end('x')), [
    'GET /v2/things/{id} answered 200 text/plain, a media type that is not documented',
    'GET /Trails/{trailID}/Images answered 200 text/plain, a media type that is not documented',
  ])
  const [wrong, none] = await breachesOf(
    (_, answer) => answer.writeHead(200, ['Content-Type', 'application/json']).end('{"id":"1"}'),
    'GET /v2/things/1',
  )
  assert.match(
    wrong ?? '',
    /^GET \/v2\/things\/\{id\} answered 200 application\/json, not as documented: .*must be integer.* in \{"id":"1"\}$/,
  )
  assert.equal(none, undefined)
  const [gpx] = await breachesOf(
    (_, answer) => answer.writeHead(200, json).end('{"id":1}'),
    'GET /v2/things/1.gpx',
  )
  assert.match(gpx ?? '', /\{id\}\.gpx answered 200 application\/json, a media type/)
})
