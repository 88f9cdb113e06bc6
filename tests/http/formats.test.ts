// Formats of responses and request bodies: Accept, Content-Type, Content-Encoding (contract C6, C7).
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem, outcomeOf } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { send } from '../helpers/wire.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const key = await waymark.addKey(ana.accountId)
const bytes = await jpegPicture({ width: 12, height: 9 })
const imageId = await waymark.upload(ana, 4711, bytes)
const bearer = { authorization: `Bearer ${ana.token}` }
const image = `/Trails/4711/Images/${imageId}`

const json = 'application/json'
const xml = 'application/xml'
const textXml = 'text/xml'
const neither = '406 Not Acceptable'
const firefox = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const chrome =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7'

/** Accept, and the type of the response or the refusal. */
const accepts: readonly (readonly [accept: string | undefined, answer: string])[] = [
  [undefined, json],
  ['', json],
  ['*/*', json],
  ['*', json],
  ['*;q=0.2', json],
  ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', json],
  ['application/*', json],
  ['text/*', textXml],
  ['application/json', json],
  ['APPLICATION/JSON', json],
  ['application/json;charset=utf-8', json],
  ['application/json; charset=UTF-8; q=1', json],
  ['application/json;q=0.0001', json],
  ['application/xml', xml],
  ['Application/XML; charset=utf-8', xml],
  ['text/xml', textXml],
  ['text/xml; charset=utf-8', textXml],
  ['application/xml;q=0.9, application/json;q=0.8', xml],
  ['application/xml;q=0.8, application/json;q=0.9', json],
  ['text/xml, application/json;q=0.9', textXml],
  ['application/json;q=0.5, text/xml;q=0.6, application/xml;q=0.7', xml],
  ['application/xml, */*;q=0.1', xml],
  ['*/*, application/xml;q=0.5', json],
  ['*/*;q=0.5, application/json;q=0', xml],
  ['application/json;q=0, application/xml;q=0, */*', textXml],
  ['image/png, application/xml;q=0.1', xml],
  [firefox, json],
  [chrome, json],
  ['text/html, application/xml', xml],
  ['text/html', neither],
  ['application/xhtml+xml', neither],
  ['image/png', neither],
  ['application/yaml', neither],
  ['application/problem+json', neither],
  ['application/json;q=0', neither],
  ['*/*;q=0', neither],
  ['application/vnd.example+json', neither],
]

void test('C6: Accept selects JSON or XML, and Vary says so', async () => {
  for (const [accept, expected] of accepts) {
    for (const path of ['/Trails/4711/Images', image]) {
      const headers = { ...bearer, ...(accept === undefined ? {} : { accept }) }
      const answer = await send(waymark.url, { path, headers })
      const message = `${accept} ${path}`
      assert.ok(answer.headers.get('vary')?.split(', ').includes('Accept'), message)
      if (expected === neither) await assertProblem(answer, 'not-acceptable', message)
      else assert.equal(answer.headers.get('content-type'), `${expected}; charset=utf-8`, message)
    }
  }
})

void test('C6: 406 comes before anything is stored', async () => {
  const count = async (): Promise<unknown> => {
    const { db } = waymark.installation.database
    return db.selectFrom('image').select(['id', 'title', 'updated_at']).execute()
  }
  const before = await count()
  for (const accept of ['image/jpeg', 'text/html', 'application/json;q=0']) {
    const headers = { ...bearer, accept }
    const post = await send(waymark.url, {
      method: 'POST',
      path: '/Trails/4711/Images',
      headers,
      body: bytes,
    })
    await assertProblem(post, 'not-acceptable', accept)
    const put = await send(waymark.url, {
      method: 'PUT',
      path: image,
      headers: { ...headers, 'content-type': json },
      body: '{"title":"no"}',
    })
    await assertProblem(put, 'not-acceptable', accept)
  }
  assert.deepEqual(await count(), before)
})

void test('C6 C37: a problem is never refused for its format, and is JSON unless XML is preferred', async () => {
  const cases: readonly (readonly [accept: string, format: 'json' | 'xml'])[] = [
    ['image/png', 'json'],
    ['text/html', 'json'],
    ['*/*;q=0', 'json'],
    [firefox, 'json'],
    ['application/json', 'json'],
    ['application/problem+json', 'json'],
    ['application/problem+json, application/xml;q=0.5', 'json'],
    ['application/xml', 'xml'],
    ['text/xml', 'xml'],
    ['application/problem+xml', 'xml'],
    ['image/png, application/problem+xml;q=0.5', 'xml'],
  ]
  const refused = [
    { path: '/Trails/999/Images', headers: bearer },
    { path: '/Trails/4711/Images' },
    { path: '/nothing' },
    { path: '/ImageHandler' },
    { path: '/v2/images/1', headers: bearer },
    { method: 'DELETE', path: image },
  ]
  for (const [accept, format] of cases) {
    for (const request of refused) {
      const answer = await send(waymark.url, { ...request, headers: { ...request.headers, accept } })
      assert.equal(
        answer.headers.get('content-type'),
        `application/problem+${format}; charset=utf-8`,
        `${request.path} ${accept}`,
      )
      const text = await answer.text()
      if (format === 'xml') assert.match(text, /^<\?xml .+<problem xmlns="urn:ietf:rfc:7807">.+<\/problem>$/s)
      else assert.equal((JSON.parse(text) as { status: number }).status, answer.status)
      assert.notEqual(answer.status, 406)
    }
  }
})

void test('C6 C26: the image handler never negotiates', async () => {
  for (const accept of [
    'application/json',
    'text/html',
    'image/webp',
    'image/avif,image/webp,*/*;q=0.8',
    '',
  ]) {
    for (const size of ['sm', 'lg']) {
      const path = `/ImageHandler?id=${imageId}&t=${size}`
      const answer = await send(waymark.url, { path, headers: { accept } })
      assert.equal(answer.status, 200, accept)
      assert.equal(answer.headers.get('content-type'), 'image/jpeg', accept)
      assert.doesNotMatch(answer.headers.get('vary') ?? '', /accept/i)
    }
  }
})

const put = (headers: Record<string, string>, body: Uint8Array | string | Readable) =>
  send(waymark.url, { method: 'PUT', path: image, headers: { ...bearer, ...headers }, body })
const asXml = '<TrailImageDetails><title>x</title></TrailImageDetails>'

void test('C6: Content-Type decides how a body is read', async () => {
  const unsupported = '415 Unsupported media type'
  const cases: readonly (readonly [type: string | undefined, ofJson: string, ofXml: string])[] = [
    ['application/json', '200', '400 The body could not be read'],
    ['APPLICATION/JSON', '200', '400 The body could not be read'],
    ['application/json; charset=utf-8', '200', '400 The body could not be read'],
    ['application/json;charset="UTF-8"', '200', '400 The body could not be read'],
    ['text/json', '200', '400 The body could not be read'],
    ['application/vnd.example+json', '200', '400 The body could not be read'],
    ['application/xml', '400 The body could not be read', '200'],
    ['text/xml', '400 The body could not be read', '200'],
    ['text/xml; charset=utf-8', '400 The body could not be read', '200'],
    ['application/vnd.example+xml; q=1', '400 The body could not be read', '200'],
    ['application/json; charset=iso-8859-1', unsupported, unsupported],
    ['application/json; charset=utf-16', unsupported, unsupported],
    ['application/xml; charset=iso-8859-1', unsupported, unsupported],
    [undefined, unsupported, unsupported],
    ['', unsupported, unsupported],
    ['json', unsupported, unsupported],
    ['application/', unsupported, unsupported],
    ['text/plain', unsupported, unsupported],
    ['text/html', unsupported, unsupported],
    ['image/jpeg', unsupported, unsupported],
    ['application/octet-stream', unsupported, unsupported],
    ['application/x-www-form-urlencoded', '200', '200'],
    ['multipart/form-data; boundary=x', unsupported, unsupported],
    ['application/jsonp', unsupported, unsupported],
    ['application/json, application/xml', unsupported, unsupported],
  ]
  for (const [type, ofJson, ofXml] of cases) {
    const headers = type === undefined ? {} : { 'content-type': type }
    assert.equal(await outcomeOf(await put(headers, '{"title":"x"}')), ofJson, `${type} of JSON`)
    assert.equal(await outcomeOf(await put(headers, asXml)), ofXml, `${type} of XML`)
  }
})

void test('C6: a body with a Content-Encoding other than identity is refused', async () => {
  const body = '{"title":"x"}'
  const type = { 'content-type': json }
  for (const encoding of ['gzip', 'GZIP', 'deflate', 'br', 'zstd', 'x', 'gzip, identity']) {
    const answer = await put({ ...type, 'content-encoding': encoding }, gzipSync(body))
    await assertProblem(answer, 'unsupported-media-type', encoding)
    const post = await send(waymark.url, {
      method: 'POST',
      path: '/Trails/4711/Images',
      headers: { ...bearer, 'content-type': 'image/jpeg', 'content-encoding': encoding },
      body: gzipSync(bytes),
    })
    await assertProblem(post, 'unsupported-media-type', encoding)
  }
  for (const encoding of ['identity', 'Identity ']) {
    assert.equal((await put({ ...type, 'content-encoding': encoding }, body)).status, 200, encoding)
  }
})

void test('C6: details are limited to 64 KiB, counted during the transfer', async () => {
  const limit = 65_536
  const type = { 'content-type': json }
  const filled = (length: number) => `{"title":"x"}${' '.repeat(length - 13)}`
  assert.equal((await put(type, filled(limit))).status, 200)
  await assertProblem(await put(type, filled(limit + 1)), 'body-too-large')
  const chunks = (length: number) => Readable.from([filled(limit), ' '.repeat(length)])
  assert.equal((await put(type, Readable.from([filled(limit)]))).status, 200)
  await assertProblem(await put(type, chunks(1)), 'body-too-large')
  await assertProblem(await put(type, chunks(1_000_000)), 'body-too-large')
  const review = await send(waymark.url, {
    method: 'POST',
    path: `/v2/images/${imageId}/review`,
    headers: { authorization: `Bearer ${(await waymark.addPerson({ role: 'reviewer' })).token}`, ...type },
    body: filled(limit + 1),
  })
  await assertProblem(review, 'body-too-large')
})

void test('C7: both forms of a slash are read, and only image details write it escaped', async () => {
  for (const title of ['"a\\/b"', '"a/b"', '"a\\u002fb"']) {
    assert.equal((await put({ 'content-type': json }, `{"title":${title}}`)).status, 200)
    const text = await (await send(waymark.url, { path: image, headers: bearer })).text()
    assert.ok(text.includes('"title":"a\\/b"'), text)
    assert.doesNotMatch(text, /[^\\]\//)
    const v2 = await send(waymark.url, { path: `/v2/images/${imageId}`, headers: bearer })
    const v2Text = await v2.text()
    assert.ok(v2Text.includes('"title":"a/b"') && !v2Text.includes('\\/'), v2Text)
  }
  const key401 = await send(waymark.url, { path: `/Trails/4711/Images/1?api_key=${key}` })
  assert.doesNotMatch(await key401.text(), /\\\//)
})
