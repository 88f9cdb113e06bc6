// The list of a trail in content encodings: negotiation, ETags, and what is never compressed (C39, C40).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { createCodingsReader } from '../../../src/http/content-codings.ts'
import { createListBodies } from '../../../src/images/list/list-bodies.ts'
import { createPresent } from '../../../src/images/present.ts'
import { anotherPicture } from '../../helpers/leaving.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { send } from '../../helpers/wire.ts'
import { patch } from '../image-client.ts'
import { bytesIn } from './list-walk.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
await waymark.addTrail(4712, 'Empty Trail')
const ana = await waymark.addPerson({ name: 'Ana' })
const ben = await waymark.addPerson({ name: 'Ben' })
const rob = await waymark.addPerson({ name: 'Rob', role: 'reviewer' })
const key = await waymark.addKey(ana.accountId)
const picture = await anotherPicture()
for (let image = 0; image < 4; image += 1) {
  const id = await waymark.upload(ana, 4711, picture)
  assert.equal(
    (await patch(waymark, ana, id, { body: { title: `${image}`, caption: 'ñ '.repeat(90) } })).status,
    200,
  )
  assert.equal((await waymark.review(rob, id, 'approve')).status, 200)
}

type Headers = Record<string, string>
const byKey = { 'x-api-key': key }
const bearer = ({ token }: { readonly token: string }) => ({ authorization: `Bearer ${token}` })
const path = '/Trails/4711/Images'

async function ask(headers: Headers, { at = path, method = 'GET' } = {}) {
  const answer = await send(waymark.url, { method, path: at, headers: { ...byKey, ...headers } })
  return {
    status: answer.status,
    coding: answer.headers.get('content-encoding'),
    etag: answer.headers.get('etag') ?? '',
    vary: answer.headers.get('vary') ?? '',
    length: Number(answer.headers.get('content-length')),
    bytes: Buffer.from(await answer.arrayBuffer()),
  }
}

const decode = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
} as const

for (const accept of ['application/json', 'application/xml'])
  void test(`C39: ${accept} in every coding holds the same bytes, under an ETag of its own`, async () => {
    const plain = await ask({ accept })
    assert.equal(plain.coding, null)
    assert.match(plain.vary, /\bAccept-Encoding\b/)
    const etags = new Set([plain.etag])
    for (const [coding, decoded] of Object.entries(decode)) {
      const packed = await ask({ accept, 'accept-encoding': `${coding}, identity;q=0` })
      assert.equal(packed.coding, coding)
      assert.equal(packed.length, packed.bytes.length)
      assert.ok(packed.bytes.length < plain.bytes.length / 2)
      assert.deepEqual(decoded(packed.bytes), plain.bytes)
      etags.add(packed.etag)
      // From now on it is available to clients that accept it as well as the plain one.
      const again = await ask({ accept, 'accept-encoding': coding })
      assert.deepEqual([again.coding, again.etag, again.bytes], [coding, packed.etag, packed.bytes])
      const head = await ask({ accept, 'accept-encoding': coding }, { method: 'HEAD' })
      assert.deepEqual(
        [head.status, head.coding, head.etag, head.length, head.bytes.length],
        [200, coding, packed.etag, packed.bytes.length, 0],
      )
      const known = await ask({ accept, 'accept-encoding': coding, 'if-none-match': packed.etag })
      assert.deepEqual([known.status, known.etag, known.bytes.length], [304, packed.etag, 0])
      assert.match(known.vary, /\bAccept-Encoding\b/)
      // The same list uncompressed, which this client accepts as well.
      const knownPlain = await ask({ accept, 'accept-encoding': coding, 'if-none-match': plain.etag })
      assert.deepEqual([knownPlain.status, knownPlain.etag], [304, plain.etag])
      // A client that cannot decode it does not have the list, whatever its ETag.
      const unread = await ask({ accept, 'accept-encoding': 'identity', 'if-none-match': packed.etag })
      assert.deepEqual([unread.status, unread.bytes], [200, plain.bytes])
    }
    assert.equal(etags.size, 4)
  })

void test('a response never waits for compression that it can do without', async () => {
  const id = await waymark.upload(ana, 4711, picture)
  assert.equal((await waymark.review(rob, id, 'approve')).status, 200)
  const first = await ask({ 'accept-encoding': 'br' })
  assert.equal(first.coding, null)
  assert.match(first.bytes.toString(), new RegExp(String(id)))
  const until = Date.now() + 10_000
  let later = first
  while (later.coding === null && Date.now() < until) later = await ask({ 'accept-encoding': 'br' })
  assert.equal(later.coding, 'br')
  assert.deepEqual(brotliDecompressSync(later.bytes), first.bytes)
})

void test('short responses are sent uncompressed unless that is refused; if every coding is refused, 406 says so', async () => {
  const empty = { at: '/Trails/4712/Images' }
  for (let time = 0; time < 3; time += 1)
    assert.equal((await ask({ 'accept-encoding': 'gzip, br, zstd' }, empty)).coding, null)
  const packed = await ask({ 'accept-encoding': 'gzip, identity;q=0' }, empty)
  assert.equal(gunzipSync(packed.bytes).toString(), '[]')
  for (const none of ['identity;q=0', '*;q=0', 'deflate, identity;q=0']) {
    const refused = await ask({ 'accept-encoding': none })
    assert.equal(refused.status, 406, none)
    assert.match(refused.vary, /\bAccept-Encoding\b/)
  }
})

void test('C40: a list that contains an email address is never compressed', async () => {
  for (const person of [ana, rob]) {
    const headers = { ...bearer(person), accept: 'application/xml', 'accept-encoding': 'gzip, br, zstd' }
    for (let time = 0; time < 4; time += 1) {
      const answer = await send(waymark.url, { path, headers })
      assert.equal(answer.headers.get('content-encoding'), null)
      assert.match(await answer.text(), /<email>person\d+@trails\.example<\/email>/)
    }
    const refused = { ...headers, 'accept-encoding': 'gzip, identity;q=0' }
    assert.equal((await send(waymark.url, { path, headers: refused })).status, 406)
  }
  const headers = { ...bearer(ben), accept: 'application/xml', 'accept-encoding': 'gzip, identity;q=0' }
  const toOthers = await send(waymark.url, { path, headers })
  const text = gunzipSync(Buffer.from(await toOthers.arrayBuffer())).toString()
  assert.match(text, /<email><\/email>/)
  assert.doesNotMatch(text, /@/)
})

void test('Accept-Encoding is read by q-values, and ours decide among equals', () => {
  const read = createCodingsReader()
  const cases: Readonly<Record<string, string>> = {
    '': 'identity',
    identity: 'identity',
    gzip: 'gzip identity',
    'gzip, deflate, br, zstd': 'zstd br gzip identity',
    'br;q=0.2, GZIP;q=0.9': 'gzip br identity',
    'gzip;q=0.5, identity': 'identity gzip',
    'identity, gzip': 'gzip identity',
    '*': 'zstd br gzip identity',
    'gzip, *;q=0': 'gzip',
    'identity;q=0, *': 'zstd br gzip',
    'gzip;q=0': 'identity',
    '*;q=0': '',
    'x-gzip, compress': 'identity',
  }
  for (const [header, expected] of Object.entries(cases))
    for (let time = 0; time < 2; time += 1) assert.equal(read(header).join(' '), expected, header)
  assert.equal(read(undefined).join(' '), 'identity')
})

void test('LIST_CACHE_MEGABYTES is respected, however many trails are requested', async () => {
  const { db } = waymark.installation.database
  const megabytes = 1 / 64
  const present = createPresent({ imageHandlerUrl: '', xmlEmail: 'permitted', takenAt: 'day' })
  const bodies = createListBodies({ db, present, megabytes })
  const reader = { kind: 'key', keyHash: '', accountId: 0 } as const
  let max = 0
  const trailIds = Array.from({ length: 60 }, (_, index) => 5_000 + index)
  const trails = trailIds.map((id) => ({ id, name: `${id}`, slug: `${id}`, version: 1, created_at: 0 }))
  await db.insertInto('trail').values(trails).execute()
  for (const trailId of trailIds) {
    const { body } = await bodies.answer(reader, trailId, { format: 'json', acceptEncoding: '' })
    assert.equal(bytesIn(body).toString(), '[]')
    max = Math.max(max, bodies.cachedBytes())
  }
  assert.ok(max <= megabytes * 1024 ** 2 && max > megabytes * 1024 ** 2 * 0.8, String(max))
})
