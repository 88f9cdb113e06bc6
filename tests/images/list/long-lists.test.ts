// Long lists are cached and sent in chunks: what is rebuilt, what is shared, and what is sent (C19, C39).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { after, test } from 'node:test'
import { crc32, gunzipSync, gzipSync } from 'node:zlib'
import { deflateShort, joinGzip } from '../../../src/images/list/joined-gzip.ts'
import { createListBodies } from '../../../src/images/list/list-bodies.ts'
import { send } from '../../helpers/wire.ts'
import { patch } from '../image-client.ts'
import { byKey, present, startLongList, trailId } from './long-list.ts'

const { waymark, db, ana, key, ids, inOneGo } = await startLongList(6_000)
after(() => waymark.close())

void test('only the changed piece is built and compressed again; simultaneous requests share it', async () => {
  const bodies = createListBodies({ db, present, megabytes: 64 })
  const piecesOf = async (acceptEncoding: string) => {
    const { body } = await bodies.answer(byKey, trailId, { format: 'xml', acceptEncoding })
    return 'pieces' in body ? body.pieces : []
  }
  const before = await piecesOf('')
  assert.ok(before.length > 20)
  assert.equal((await patch(waymark, ana, ids[3_000] ?? 0, { body: { title: 'Shared' } })).status, 200)
  const isFirst = 1 // a new buffer each time
  const [one = [], ...others] = await Promise.all([1, 2, 3, 4].map(() => piecesOf('')))
  assert.equal(one.filter((piece, at) => at > isFirst && !before.includes(piece)).length, 1)
  for (const other of others) assert.ok(other.every((piece, at) => at === isFirst || piece === one[at]))
})

void test('C39: HEAD, 304 and gzip of a long list over the wire', async () => {
  const path = `/Trails/${trailId}/Images`
  for (const accept of ['application/json', 'application/xml'])
    for (const coding of ['identity', 'gzip', 'br, gzip, zstd', 'br, identity;q=0']) {
      const headers = { 'x-api-key': key, accept, 'accept-encoding': coding }
      const answer = await send(waymark.url, { path, headers })
      const bytes = Buffer.from(await answer.arrayBuffer())
      assert.equal(answer.headers.get('content-length'), String(bytes.length))
      assert.equal(
        answer.headers.get('content-encoding'),
        coding === 'identity' ? null : coding.startsWith('br, id') ? 'br' : 'gzip',
      )
      const etag = answer.headers.get('etag') ?? ''
      const head = await send(waymark.url, { method: 'HEAD', path, headers })
      assert.deepEqual(
        [head.status, head.headers.get('etag'), head.headers.get('content-length')],
        [200, etag, String(bytes.length)],
      )
      const known = await send(waymark.url, { path, headers: { ...headers, 'if-none-match': etag } })
      assert.deepEqual([known.status, known.headers.get('etag')], [304, etag])
    }
})

/** Does not read the body until told to. */
async function slowReader(): Promise<IncomingMessage> {
  const headers = { 'x-api-key': key, accept: 'application/xml', 'accept-encoding': 'identity' }
  const request = get(`${waymark.url}/Trails/${trailId}/Images`, { headers })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  answer.on('error', () => undefined)
  return answer
}

void test('C19: a slow reader gets the list as it was when requested; one that disconnects affects no one else', async () => {
  const expected = await inOneGo(byKey, 'xml')
  const [slow, leaving] = await Promise.all([slowReader(), slowReader()])
  leaving.destroy()
  assert.equal((await patch(waymark, ana, ids[5_900] ?? 0, { body: { title: 'Meanwhile' } })).status, 200)
  const quick = await slowReader()
  const texts = await Promise.all(
    [slow, quick].map(async (answer) => Buffer.concat(await answer.toArray()).toString()),
  )
  assert.ok(texts[0] === expected)
  assert.ok(texts[1] === (await inOneGo(byKey, 'xml')))
})

void test('memory used for long lists is bounded, and counted once for all who get the same list', async () => {
  const bodies = createListBodies({ db, present, megabytes: 0 })
  const ends: (() => void)[] = []
  const borrow = async () => {
    const { hold } = await bodies.answer(byKey, trailId, { format: 'xml', acceptEncoding: '' })
    if (hold) ends.push(hold())
  }
  await assert.rejects(async () => {
    for (let time = 0; time < 60; time += 1) await borrow() // 64 MiB of a list that is rebuilt each time
  }, /slow|busy/i)
  assert.ok(ends.length > 10)
  for (const end of ends) end()
  await borrow()
  const kept = createListBodies({ db, present, megabytes: 64 })
  for (let time = 0; time < 100; time += 1)
    (await kept.answer(byKey, trailId, { format: 'xml', acceptEncoding: '' })).hold?.()
})

void test('compressed pieces joined are one gzip stream, with the CRC of the whole', () => {
  const texts = ['', 'a', 'ñ'.repeat(70_000), '\n', 'x'.repeat(999)].map((text) => Buffer.from(text))
  const whole = Buffer.concat(texts)
  const joined = Buffer.concat(joinGzip(texts.map(deflateShort)))
  assert.deepEqual(gunzipSync(joined), whole)
  assert.equal(joined.readUInt32LE(joined.length - 8), crc32(whole))
  assert.deepEqual(joined.subarray(-8), gzipSync(whole).subarray(-8))
})
