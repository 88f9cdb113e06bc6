// Size limits of uploads, however they are sent; a refused upload leaves nothing behind (contract C14, C15, C17).
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { RefusalCode } from '../../../src/errors.ts'
import { ihdrChunk, makePng } from '../../helpers/containers-fixtures.ts'
import { filesBelow } from '../../helpers/folders.ts'
import { jpegPicture, pngPicture, webpPicture } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { parseAnswer, say, send, type WireRequest } from '../../helpers/wire.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const bearer = { authorization: `Bearer ${ana.token}` }
const set = '/Trails/4711/Images/'
const limit = 8_388_608

let pictures = 0
/** A distinct photo of this size: bytes after the end marker are dropped, so it is intact. */
async function padded(length: number): Promise<Buffer> {
  pictures += 1
  const picture = await jpegPicture({ width: 12, height: 9, seed: pictures })
  return Buffer.concat([picture, Buffer.alloc(length - picture.length, 'p')])
}

const post = (body: WireRequest['body'], headers: Record<string, string> = {}) =>
  send(waymark.url, {
    method: 'POST',
    path: set,
    headers: { ...bearer, 'content-type': 'image/jpeg', ...headers },
    ...(body === undefined ? {} : { body }),
  })

/** Everything that an upload could leave behind: files, rows and counters. */
async function traces(): Promise<unknown> {
  const { db } = waymark.installation.database
  return {
    files: await filesBelow(waymark.dataDir),
    images: await db.selectFrom('image').selectAll().execute(),
    contents: await db.selectFrom('content').selectAll().execute(),
    renditions: await db.selectFrom('rendition').selectAll().execute(),
    history: await db.selectFrom('image_history').selectAll().execute(),
    outbox: await db.selectFrom('outbox').selectAll().execute(),
    counters: await db.selectFrom('counter').selectAll().where('name', '!=', 'audit').execute(),
    trails: await db.selectFrom('trail').selectAll().execute(),
  }
}

/** Repeats requests until the store is as before, since the server may continue after its client. */
async function assertNothingKept(before: unknown): Promise<void> {
  for (let attempt = 0; attempt < 300 && !isDeepStrictEqual(await traces(), before); attempt += 1) {
    await (await send(waymark.url, { path: '/health/live' })).arrayBuffer()
  }
  assert.deepEqual(await traces(), before)
}

async function assertRefused(answer: Promise<Response>, code: RefusalCode, message: string): Promise<void> {
  await assertProblem(await answer, code, message)
}

void test('C14: exactly 8,388,608 bytes are accepted, with a length or chunked', async () => {
  for (const body of [await padded(limit), Readable.from(chunks(await padded(limit)))]) {
    const answer = await post(body)
    assert.equal(answer.status, 201)
    const view = await send(waymark.url, { path: `/ImageHandler?id=${await answer.text()}` })
    const bytes = Buffer.from(await view.arrayBuffer())
    assert.ok(bytes.length < 2_000, 'bytes after the end marker are served')
  }
})

function* chunks(bytes: Buffer, length = 100_000): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

void test('C14 C15: one byte more, or many, gets 413 and leaves nothing', async () => {
  const before = await traces()
  await assertRefused(post(await padded(limit + 1)), 'image-too-large', 'one more')
  await assertRefused(post(Readable.from(chunks(await padded(limit + 1)))), 'image-too-large', 'chunked')
  await assertRefused(post(await padded(2 * limit)), 'image-too-large', 'twice as many')
  assert.deepEqual(await traces(), before)
})

const requestLine = `POST ${set} HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer.authorization}\r\n`

void test('C14: after a refused upload the connection stays usable, however much of the body is outstanding', async () => {
  const health = 'GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
  for (const length of [limit + 1, limit + 2_000_000]) {
    const body = await padded(length)
    const counted = [`Content-Length: ${length}\r\n\r\n`, body, '']
    const chunked = [`Transfer-Encoding: chunked\r\n\r\n${length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n']
    for (const parts of [counted, chunked]) {
      const chunks = [requestLine, ...parts, health].map((part) => Buffer.from(part as string))
      const said = await say(waymark.url, Buffer.concat(chunks))
      assert.deepEqual(said.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 413', 'HTTP/1.1 200'])
    }
  }
})

void test('C14: an empty body gets 400, in every form', async () => {
  const before = await traces()
  await assertRefused(post(Buffer.alloc(0)), 'empty-image', 'Content-Length: 0')
  await assertRefused(post(Readable.from([])), 'empty-image', 'chunked')
  await assertRefused(post(undefined), 'empty-image', 'no body')
  const said = await say(waymark.url, `${requestLine}Connection: close\r\n\r\n`)
  await assertProblem(parseAnswer(said), 'empty-image', 'neither length nor chunks')
  assert.deepEqual(await traces(), before)
})

void test('C14 C15: a false Content-Length stores nothing', async () => {
  const before = await traces()
  const picture = await jpegPicture({ width: 40, height: 30 })
  const tell = (headers: string, body: Uint8Array) =>
    say(waymark.url, Buffer.concat([Buffer.from(`${requestLine}${headers}\r\n\r\n`), body]), {
      isHalfClosed: true,
    })
  const short = await tell(`Content-Length: ${picture.length - 200}`, picture)
  // The rest is not a request, which may be reported before the decoder has checked the photo.
  assert.match(short, /HTTP\/1\.1 400 Bad Request\r\n.+connection: close/is, 'too small')
  const long = await tell(`Content-Length: ${picture.length + 200}`, picture)
  const cut = await tell('Transfer-Encoding: chunked', Buffer.from('400\r\nabc'))
  for (const said of [short, long, cut]) assert.doesNotMatch(said, /HTTP\/1\.1 2/)

  const disagreements = [
    `Content-Length: ${picture.length}\r\nTransfer-Encoding: chunked`,
    `Content-Length: ${picture.length}\r\nContent-Length: 5`,
    'Content-Length: -1',
    'Content-Length: 0x10',
    'Content-Length: 1e3',
    'Content-Length: 18446744073709551616',
    'Transfer-Encoding: chunked, identity',
    'Transfer-Encoding: gzip',
  ]
  for (const headers of disagreements) {
    const said = await tell(headers, picture)
    await assertProblem(parseAnswer(said), 'bad-request', headers)
    assert.match(said, /^connection: close\r$/im, headers)
  }
  await assertNothingKept(before)
})

void test('C14: a client that disconnects during an upload leaves nothing', async () => {
  const before = await traces()
  const head = `${requestLine}Content-Length: 5000000\r\n\r\n`
  await say(waymark.url, Buffer.concat([Buffer.from(head), Buffer.alloc(300_000, 1)]), { isHalfClosed: true })
  await assertNothingKept(before)
})

void test('C15: whatever the reason for refusing an upload, nothing of it is stored', async () => {
  const before = await traces()
  const jpeg = await jpegPicture({ width: 200, height: 150 })
  const big = (width: number, height: number) => makePng(ihdrChunk({ width, height }))
  const cases: readonly (readonly [code: RefusalCode, body: Uint8Array, headers?: Record<string, string>])[] =
    [
      ['unsupported-image-type', await webpPicture({ width: 9, height: 9 })],
      ['unsupported-image-type', jpeg, { 'content-type': 'text/html' }],
      ['unsupported-media-type', jpeg, { 'content-encoding': 'gzip' }],
      ['not-acceptable', jpeg, { accept: 'image/jpeg' }],
      ['broken-image', jpeg.subarray(0, jpeg.length / 2)],
      ['broken-image', (await pngPicture({ width: 60, height: 40 })).subarray(0, 100)],
      ['image-dimensions-too-large', big(16_385, 1)],
      ['image-dimensions-too-large', big(1, 16_385)],
      ['image-dimensions-too-large', big(60_000, 60_000)],
      ['image-dimensions-too-large', big(10_001, 10_000)],
      ['invalid-token', jpeg, { authorization: 'Bearer wrong' }],
    ]
  for (const [code, body, headers] of cases) await assertRefused(post(body, headers), code, code)
  const scope = await waymark.tokenFor(ana.accountId, 'images:read')
  await assertRefused(post(jpeg, { authorization: `Bearer ${scope}` }), 'insufficient-scope', 'scope')
  const nowhere = { method: 'POST', path: '/Trails/1/Images', headers: bearer, body: jpeg }
  await assertRefused(send(waymark.url, nowhere), 'invalid-trail-id', 'trail')
  const after = await traces()
  assert.deepEqual(after, before)
})

void test('C17: 201 names the new image in Location, with the public URL', async () => {
  const answer = await post(await padded(1_500))
  const id = await answer.text()
  assert.match(id, /^[1-9]\d*$/)
  assert.equal(answer.status, 201)
  assert.equal(answer.headers.get('location'), `https://trails.example/Trails/4711/Images/${id}`)
  assert.equal(answer.headers.get('cache-control'), 'private, no-store')
  const details = await send(waymark.url, { path: `/Trails/4711/Images/${id}`, headers: bearer })
  assert.equal(((await details.json()) as { imageID: number }).imageID, Number(id))
})
