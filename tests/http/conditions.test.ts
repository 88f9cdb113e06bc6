// Conditional and range requests: ETag, If-None-Match, If-Match and ranges (contract C27, C39).
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { after, test } from 'node:test'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { send } from '../helpers/wire.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const rob = await waymark.addPerson({ role: 'reviewer' })
const key = await waymark.addKey(ana.accountId)
const imageId = await waymark.upload(ana, 4711, await jpegPicture({ width: 120, height: 90 }))
assert.equal((await waymark.review(rob, imageId, 'approve')).status, 200)

const bearer = { authorization: `Bearer ${ana.token}` }
const byKey = { 'x-api-key': key }
const set = '/Trails/4711/Images'
const image = `${set}/${imageId}`
const lg = `/ImageHandler?id=${imageId}`
type Headers = Record<string, string>

const get = (path: string, headers: Headers = {}) => send(waymark.url, { path, headers })
const put = (title: string, headers: Headers = {}) =>
  send(waymark.url, {
    method: 'PUT',
    path: image,
    headers: { ...bearer, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ title }),
  })

async function etagOf(path: string, headers: Headers = {}): Promise<string> {
  const answer = await get(path, headers)
  await answer.arrayBuffer()
  const etag = answer.headers.get('etag') ?? ''
  assert.match(etag, /^"[!#-~]+"$/, `${path} has a strong tag`)
  return etag
}

async function titleNow(): Promise<string> {
  return ((await (await get(image, bearer)).json()) as { title: string }).title
}

const representations: readonly (readonly [path: string, headers: Headers])[] = [
  [set, byKey],
  [set, { ...byKey, accept: 'application/xml' }],
  [image, byKey],
  [image, { ...bearer, accept: 'text/xml' }],
  [`/v2/images/${imageId}`, bearer],
  ['/v2/images', bearer],
  [lg, {}],
  [`${lg}&t=sm`, {}],
  [`${lg}&t=150&f=webp`, {}],
]

void test('C39: If-None-Match returns 304 with the headers of the 200, in every form of the ETag', async () => {
  for (const [path, headers] of representations) {
    const whole = await get(path, headers)
    await whole.arrayBuffer()
    const etag = whole.headers.get('etag') ?? ''
    for (const sent of [etag, `W/${etag}`, `"x", ${etag}`, `"a,b" , W/"c",${etag}`, '*', ' * ']) {
      const answer = await get(path, { ...headers, 'if-none-match': sent })
      assert.equal(answer.status, 304, `${path} ${sent}`)
      assert.equal((await answer.arrayBuffer()).byteLength, 0)
      for (const name of ['etag', 'cache-control', 'vary', 'referrer-policy', 'x-content-type-options']) {
        assert.equal(answer.headers.get(name), whole.headers.get(name), `${path} ${name}`)
      }
    }
    for (const sent of [
      '"x"',
      etag.replaceAll('"', ''),
      `${etag.slice(0, -1)}x"`,
      'W/"x"',
      '',
      '"',
      '**',
      `'${etag}`.slice(0, 9),
    ]) {
      assert.equal((await get(path, { ...headers, 'if-none-match': sent })).status, 200, `${path} ${sent}`)
    }
  }
})

void test('C39: the ETag changes with the representation, and formats have different ones', async () => {
  const tags = async () => Promise.all(representations.map(([path, headers]) => etagOf(path, headers)))
  const before = await tags()
  assert.equal(new Set(before).size, before.length)
  assert.deepEqual(await tags(), before, 'and stays while nothing changes')
  assert.equal((await put('Another title')).status, 200)
  const now = await tags()
  const isSame = now.map((tag, index) => tag === before[index])
  assert.deepEqual(isSame, [...Array<boolean>(6).fill(false), true, true, true], 'files stay as they are')
})

void test('C39: If-Match allows a PUT with the ETag of any representation that the client may have, otherwise 412', async () => {
  const readings: readonly (readonly [path: string, headers: Headers])[] = [
    [image, bearer],
    [image, { ...bearer, accept: 'application/xml' }],
    [image, byKey],
    [image, { ...byKey, accept: 'text/xml' }],
    [`/v2/images/${imageId}`, bearer],
  ]
  for (const [index, [path, headers]] of readings.entries()) {
    const etag = await etagOf(path, headers)
    const fresh = await put(`fresh ${index}`, { 'if-match': index % 2 === 0 ? etag : `"x", W/${etag}` })
    assert.equal(await fresh.text(), 'true', path)
    await assertProblem(await put('stale', { 'if-match': etag }), 'precondition-failed', path)
    assert.equal(await titleNow(), `fresh ${index}`)
  }
  assert.equal((await put('any', { 'if-match': '*' })).status, 200)
  const current = await etagOf(image, bearer)
  for (const sent of [
    '"x"',
    'x',
    '',
    '"',
    current.replaceAll('"', ''),
    await etagOf(lg),
    await etagOf(set, byKey),
  ]) {
    await assertProblem(await put('no', { 'if-match': sent }), 'precondition-failed', sent)
  }
  assert.equal(await titleNow(), 'any')
  assert.equal((await put('without a condition')).status, 200)
})

void test('C39: of concurrent PUTs with the same If-Match one wins', async () => {
  for (let round = 0; round < 3; round += 1) {
    const etag = await etagOf(image, bearer)
    const titles = Array.from({ length: 8 }, (_, index) => `round ${round}, writer ${index}`)
    const bodies = titles.map(() => new PassThrough())
    const headers = { ...bearer, 'content-type': 'application/json', 'if-match': etag }
    const asked = bodies.map((body) => send(waymark.url, { method: 'PUT', path: image, headers, body }))
    for (const body of bodies) body.write('{"title":')
    // All have passed the precondition and wait for the rest of their body before any continues.
    for (let turn = 0; turn < 20; turn += 1) await (await get('/health/live')).arrayBuffer()
    for (const [index, body] of bodies.entries()) body.end(`${JSON.stringify(titles[index])}}`)
    const answers = await Promise.all(asked)
    const statuses = answers.map(({ status }) => status)
    assert.deepEqual(
      statuses.toSorted((one, other) => one - other),
      [200, ...Array<number>(7).fill(412)],
    )
    assert.equal(await titleNow(), titles[statuses.indexOf(200)])
    await Promise.all(answers.map((answer) => answer.arrayBuffer()))
  }
})

void test('C27: ranges of lg', async () => {
  const whole = Buffer.from(await (await get(lg)).arrayBuffer())
  const total = whole.length
  const etag = await etagOf(lg)
  const parts: readonly (readonly [range: string, start: number, end: number])[] = [
    ['bytes=0-0', 0, 0],
    ['bytes=0-99', 0, 99],
    ['bytes=100-199', 100, 199],
    ['bytes=100-', 100, total - 1],
    ['bytes=-1', total - 1, total - 1],
    ['bytes=-100', total - 100, total - 1],
    [`bytes=0-${total - 1}`, 0, total - 1],
    [`bytes=10-${total + 1_000}`, 10, total - 1],
    [`bytes=-${total + 1_000}`, 0, total - 1],
    [`bytes=0-${'9'.repeat(30)}`, 0, total - 1],
    ['bytes= 5-9', 5, 9],
    ['BYTES=5-9', 5, 9],
  ]
  for (const [range, start, end] of parts) {
    const answer = await get(lg, { range })
    assert.equal(answer.status, 206, range)
    assert.equal(answer.headers.get('content-range'), `bytes ${start}-${end}/${total}`, range)
    assert.equal(answer.headers.get('content-length'), String(end - start + 1), range)
    assert.equal(answer.headers.get('etag'), etag)
    assert.equal(answer.headers.get('content-type'), 'image/jpeg')
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), whole.subarray(start, end + 1), range)
  }
  // Malformed, with another unit, or several ranges: the complete response, as without a range.
  const ignored = [
    '',
    'bytes',
    'bytes=',
    'bytes=x',
    'bytes=a-b',
    'bytes=1',
    'bytes=--1',
    'bytes=1.5-2',
    'bytes=0x1-2',
  ]
  for (const range of [
    ...ignored,
    'items=0-5',
    'items=999999-',
    'bytes=0-1,5-6',
    'bytes=0-1, -1',
    'bytes 0-5',
  ]) {
    const answer = await get(lg, { range })
    assert.equal(answer.status, 200, range)
    assert.equal(answer.headers.get('content-range'), null)
    assert.equal((await answer.arrayBuffer()).byteLength, total, range)
  }
})

void test('C27: a range outside the file gets 416 with its length', async () => {
  const total = (await (await get(lg)).arrayBuffer()).byteLength
  for (const range of [`bytes=${total}-`, `bytes=${total}-${total + 5}`, 'bytes=999999999-', 'bytes=-0']) {
    const answer = await get(lg, { range })
    assert.equal(answer.headers.get('content-range'), `bytes */${total}`, range)
    await assertProblem(answer, 'range-not-satisfiable', range)
  }
})

void test('C27: If-Range returns a part only of the same file, and If-None-Match takes precedence', async () => {
  const etag = await etagOf(lg)
  const range = 'bytes=5-9'
  assert.equal((await get(lg, { range, 'if-range': etag })).status, 206)
  for (const other of ['"x"', `W/${etag}`, 'Thu, 14 May 2026 09:08:07 GMT', '', '*']) {
    assert.equal((await get(lg, { range, 'if-range': other })).status, 200, other)
  }
  const gone = await get(lg, { range: 'bytes=999999999-', 'if-range': '"x"' })
  assert.equal(gone.status, 200)
  assert.equal((await get(lg, { range, 'if-none-match': etag })).status, 304)
})

void test('C27: small sizes are sent whole, whatever range is requested', async () => {
  const answer = await get(`${lg}&t=sm`, { range: 'bytes=0-9' })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('accept-ranges'), null)
})

void test('C27: a client that disconnects in the middle of a file affects no one else', async () => {
  const big = await waymark.upload(ana, 4711, await jpegPicture({ width: 2_000, height: 1_500, seed: 5 }))
  for (let count = 0; count < 20; count += 1) {
    const abort = new AbortController()
    const answer = await waymark.fetch(`/ImageHandler?id=${big}`, { signal: abort.signal })
    assert.equal(answer.status, 200)
    abort.abort()
  }
  assert.equal((await get(`/ImageHandler?id=${big}`)).status, 200)
})
