// Spellings of the classic paths, and anything in the place of an id (contract C1, C4).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem, outcomeOf } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { reachingNodes } from '../helpers/test-nodes.ts'
import { say, send, parseAnswer } from '../helpers/wire.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
await waymark.addTrail(4712, 'Lake Trail')
const ana = await waymark.addPerson()
const staff = await waymark.addPerson({ role: 'admin' })
const key = await waymark.addKey(ana.accountId)
let pictures = 0
/** All distinct, so that none counts as a retry (C18). */
const newPicture = () => jpegPicture({ width: 12, height: 9, seed: (pictures += 1) })
const imageId = await waymark.upload(ana, 4711, await newPicture())
const elsewhere = await waymark.upload(ana, 4712, await newPicture())
for (const id of [imageId, elsewhere]) assert.equal((await waymark.review(staff, id, 'approve')).status, 200)

const bearer = { authorization: `Bearer ${ana.token}` }
const ask = (path: string, method = 'GET', headers: Record<string, string> = bearer) =>
  send(waymark.url, { path, method, headers })

void test('C1: no prefix, V1 and v1.6 in any case, and a trailing slash, behave the same', async () => {
  const sets = ['/Trails/4711/Images', '/trails/4711/images', '/TRAILS/4711/IMAGES', '/tRAILS/4711/iMAGES']
  const prefixes = ['', '/V1', '/v1', '/v1.6', '/V1.6']
  const list = await (await ask('/Trails/4711/Images')).text()
  const one = await (await ask(`/Trails/4711/Images/${imageId}`)).text()
  for (const prefix of prefixes) {
    for (const set of sets) {
      for (const slash of ['', '/']) {
        const path = `${prefix}${set}`
        assert.equal(await (await ask(path + slash)).text(), list, path + slash)
        const byKey = await ask(`${path}${slash}?api_key=${key}`, 'GET', {})
        assert.equal(await byKey.text(), list, `${path}${slash} by key`)
        assert.equal(await (await ask(`${path}/${imageId}${slash}`)).text(), one, `${path}/<id>${slash}`)
      }
    }
    const views = [
      `/ImageHandler?id=${imageId}`,
      `/imagehandler/?id=${imageId}`,
      `/IMAGEHANDLER?id=${imageId}`,
    ]
    for (const view of views) assert.equal((await ask(prefix + view, 'GET', {})).status, 200, prefix + view)
  }
})

void test('C1: uploads and details accept every spelling too', async () => {
  for (const path of ['/v1.6/trails/4712/images', '/V1/TRAILS/4712/Images/', '/Trails/4712/Images/']) {
    const post = await send(waymark.url, { path, method: 'POST', headers: bearer, body: await newPicture() })
    assert.equal(post.status, 201, path)
    const id = await post.text()
    assert.equal(post.headers.get('location'), `https://trails.example/Trails/4712/Images/${id}`)
    const put = await send(waymark.url, {
      path: `${path.replace(/\/$/, '')}/${id}/`,
      method: 'PUT',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: '{"title":"x"}',
    })
    assert.equal(await put.text(), 'true', path)
  }
})

void test('C1: a request line with an absolute URL is read like one with the path', async () => {
  const list = await (await ask('/Trails/4711/Images')).text()
  for (const start of ['http://trails.example', 'HTTPS://127.0.0.1:1', 'http://[::1]:8080']) {
    const line = `GET ${start}/V1/trails/4711/images/?api_key=${key} HTTP/1.1\r\n`
    const said = await say(waymark.url, `${line}Host: a\r\nConnection: close\r\n\r\n`)
    assert.equal(await parseAnswer(said).text(), list, start)
  }
  for (const target of ['*', 'http://trails.example/nothing', 'http://x?y']) {
    const said = await say(waymark.url, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    assert.equal(parseAnswer(said).status, target.includes('?') ? 200 : 404, target)
  }
})

void test('C1: any other prefix is Not Found, for any credential and method', async () => {
  const prefixes = [
    '/V2',
    '/v2',
    '/v1.5',
    '/v1.60',
    '/v1.6.0',
    '/v1.0',
    '/V10',
    '/v',
    '/1',
    '/V1/V1',
    '/V1/v2',
  ]
  for (const prefix of prefixes) {
    const paths = ['/Trails/4711/Images', `/Trails/4711/Images/${imageId}`, `/ImageHandler?id=${imageId}`]
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'PUT', 'OPTIONS']) {
        await assertProblem(await ask(prefix + path, method, {}), 'not-found', `${method} ${prefix}${path}`)
      }
    }
  }
})

void test('C1: v2 has one spelling', async () => {
  assert.equal((await ask('/v2/images')).status, 200)
  assert.equal((await ask(`/v2/images/${imageId}`)).status, 200)
  const wrong = ['/V2/images', '/v2/Images', '/v2/IMAGES', '/V1/v2/images', '/v2/image', '/v2', '/v2/']
  for (const path of wrong) await assertProblem(await ask(path), 'not-found', path)
})

/** Invalid or unknown ids, as written in the request line. */
const noIds = [
  'abc',
  'Images',
  '+1',
  '-1',
  '-',
  '0',
  '00',
  '1.0',
  '1.5',
  '1e3',
  '0x1',
  '1_000',
  '1,000',
  'NaN',
  'null',
  'Infinity',
  '1',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '18446744073709551617',
  '99999999999999999999999999999999',
  '9'.repeat(400),
  'x'.repeat(4_000),
  '',
  '%20',
  '%00',
  '%0a',
  '%zz',
  '%',
  '%2e%2e',
  '..',
  '.',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '%252e%252e',
  '%c0%ae',
  '%ff',
  '%f0%9f%8f%94',
  '*',
  ':trailID',
  ';',
  "4711'--",
  '4711;DROP',
  '4711%20',
  '%204711',
  '٤٧١١'.replaceAll(/./gu, encodeURIComponent),
] as const

void test('C4: anything that is not a trail returns Invalid Trail ID', async () => {
  for (const word of reachingNodes([...noIds, '04711', '4711.0', '+4711'])) {
    const set = `/V1/Trails/${word}/Images`
    const requests: [string, string][] = [
      ['GET', set],
      ['POST', `${set}/`],
      ['GET', `${set}/${imageId}`],
      ['PUT', `${set}/${imageId}`],
    ]
    for (const [method, path] of requests) {
      await assertProblem(await ask(path, method), 'invalid-trail-id', `${method} ${path.slice(0, 80)}`)
    }
  }
})

void test('C4: anything that is not an image of this trail returns Invalid Image ID', async () => {
  const words = [...noIds, `0${imageId}`, `${imageId}.0`, `+${imageId}`, `${imageId}%20`, String(elsewhere)]
  for (const word of reachingNodes(words)) {
    // An empty id without a second slash is the set itself.
    const path = `/Trails/4711/Images/${word}${word === '' ? '/' : ''}`
    for (const method of ['GET', 'PUT']) {
      await assertProblem(await ask(path, method), 'invalid-image-id', `${method} ${path.slice(0, 80)}`)
    }
  }
})

void test('C4: the same applies to v2', async () => {
  const words = [...noIds, `0${imageId}`, `+${imageId}`, `${imageId}%20`]
  // `.` and `..` give other paths on v2, without an id; an empty one is the set.
  for (const word of reachingNodes(words).filter((word) => !['', '.', '..'].includes(word))) {
    const path = `/v2/images/${word}`
    await assertProblem(await ask(path), 'invalid-image-id', `GET ${path.slice(0, 80)}`)
    const review = await ask(`${path}/review`, 'POST', { authorization: `Bearer ${staff.token}` })
    await assertProblem(review, 'invalid-image-id', `POST ${path.slice(0, 80)}/review`)
  }
})

void test('C24: the image handler distinguishes a malformed ID from an unknown one', async () => {
  const malformed = '400 Invalid query parameter'
  const unknown = '404 Invalid Image ID'
  const cases: Readonly<Record<string, string>> = {
    '': malformed,
    '?id=': malformed,
    '?id': malformed,
    '?id=abc': malformed,
    '?id=-1': malformed,
    '?id=+1': malformed,
    '?id=%2B1': malformed,
    '?id=1e3': malformed,
    '?id=0x1': malformed,
    '?id=1.0': malformed,
    '?id=%00': malformed,
    '?id=%zz': malformed,
    '?id=%20': malformed,
    [`?id=${imageId}%20`]: malformed,
    [`?id=${imageId}&id=${imageId}`]: malformed,
    [`?ID=${imageId}`]: malformed,
    '?id=0': unknown,
    '?id=1': unknown,
    [`?id=0${imageId}`]: unknown,
    '?id=9007199254740991': unknown,
    '?id=9007199254740992': unknown,
    [`?id=${'9'.repeat(400)}`]: unknown,
    [`?id=${imageId}`]: '200',
    [`?id=${imageId}&other=1&api_key=x`]: '200',
  }
  for (const [query, expected] of Object.entries(cases)) {
    const answer = await ask(`/ImageHandler${query}`, 'GET', {})
    const seen = answer.ok ? String(answer.status) : await outcomeOf(answer)
    assert.equal(seen, expected, query.slice(0, 60))
  }
})

void test('C4: IDs that Waymark issues are large and not consecutive', async () => {
  const ids: number[] = []
  for (let count = 0; count < 8; count += 1) ids.push(await waymark.upload(ana, 4711, await newPicture()))
  assert.equal(new Set(ids).size, ids.length)
  assert.ok(ids.every((id) => Number.isSafeInteger(id) && id > 0))
  const distances = ids.flatMap((id, index) => ids.slice(index + 1).map((other) => Math.abs(id - other)))
  assert.ok(Math.min(...distances) > 1_000_000, 'two ids lie close together')
})

void test('C31 C37: URLs that cannot be parsed are refused with a problem', async () => {
  const long = (length: number) => `/Trails/4711/Images?x=${'y'.repeat(length)}`
  assert.equal((await ask(long(8_000))).status, 200)
  await assertProblem(await ask(long(8_200)), 'uri-too-long')
  await assertProblem(await ask(long(20_000)), 'uri-too-long')
  await assertProblem(await ask(long(30_000)), 'uri-too-long', 'what the parser itself refuses')
  const nothing = ['/.', '/..', '/%2e%2e/%2e%2e/etc/passwd', '/Trails', '/Trails/4711', '/nothing']
  const broken = ['/%', '/%zz', '/v2/%ff', '/problems/%zz', '/Trails/4711/%zz', '/%zz/Trails/4711/Images']
  for (const path of [...nothing, ...broken]) await assertProblem(await ask(path), 'not-found', path)
  const spaced = await say(waymark.url, 'GET /Trails/47 11/Images HTTP/1.1\r\nHost: a\r\n\r\n')
  await assertProblem(parseAnswer(spaced), 'bad-request')
  assert.match(spaced, /connection: close/i)
})
