// deploy/nginx-cache.conf on a real nginx: it caches only public responses, and never for too long.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { jpegPicture } from '../helpers/pictures.ts'
import { startCachingNginx, whyNoNginx, type Front } from '../helpers/nginx.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'
import { send } from '../helpers/wire.ts'

const keptSeconds = 2
/** Until nginx's cache has expired, which counts in whole seconds. */
const untilForgotten = () => wait((keptSeconds + 1) * 1_000)

type Headers = Readonly<Record<string, string>>
const ourPage: Headers = { 'sec-fetch-site': 'same-origin' }
const bearer = ({ token }: Person): Headers => ({ authorization: `Bearer ${token}` })

void describe('nginx that caches, in front of Waymark', { skip: whyNoNginx() }, () => {
  let waymark: Waymark
  let front: Front
  let ana: Person
  let rob: Person
  let key: string

  before(async () => {
    waymark = await startWaymark({ environment: { TRUST_PROXY: '127.0.0.1' } })
    await waymark.addTrail(4711, 'Rim Trail')
    ana = await waymark.addPerson()
    rob = await waymark.addPerson({ role: 'reviewer' })
    key = await waymark.addKey(ana.accountId)
    front = await startCachingNginx(waymark.url, keptSeconds)
  })
  after(async () => {
    await front?.end()
    await waymark?.close()
  })

  let seed = 0
  async function addImage(decision?: 'approve'): Promise<number> {
    seed += 1
    const id = await waymark.upload(ana, 4711, await jpegPicture({ width: 90, height: 60, seed }))
    if (decision) assert.equal((await waymark.review(rob, id, decision)).status, 200)
    return id
  }

  async function ask(path: string, headers: Headers = {}, url = front.url) {
    const answer = await send(url, { path, headers })
    const body = Buffer.from(await answer.arrayBuffer())
    return { status: answer.status, headers: answer.headers, body, cache: answer.headers.get('x-cache') }
  }

  /** Everything that clients use, without headers of the connection. */
  function lasting({ status, headers, body }: Awaited<ReturnType<typeof ask>>) {
    const passing = new Set([
      'date',
      'server',
      'connection',
      'keep-alive',
      'x-cache',
      'ratelimit',
      'ratelimit-policy',
    ])
    return { status, headers: Object.fromEntries([...headers].filter(([name]) => !passing.has(name))), body }
  }

  const viewOf = (id: number, size = 'sm'): string => `/ImageHandler?id=${id}&t=${size}`

  void test('a view comes from the cache, as Waymark sent it', async () => {
    const id = await addImage('approve')
    for (const path of [viewOf(id), viewOf(id, 'lg'), `/v1/imagehandler/?t=md&id=${id}`]) {
      const asked = [await ask(path), await ask(path)]
      assert.deepEqual(
        asked.map(({ cache }) => cache),
        ['MISS', 'HIT'],
        path,
      )
      const direct = await ask(path, {}, waymark.url)
      for (const one of asked) assert.deepEqual(lasting(one), lasting(direct), path)
    }
    const { headers, body } = await ask(viewOf(id, 'lg'))
    const known = await ask(viewOf(id, 'lg'), { 'if-none-match': headers.get('etag') ?? '' })
    assert.deepEqual([known.status, known.cache, known.body.length], [304, 'HIT', 0])
    const part = await ask(viewOf(id, 'lg'), { range: 'bytes=10-19' })
    assert.deepEqual([part.status, part.cache, part.body], [206, 'HIT', body.subarray(10, 20)])
  })

  void test("lists and tiles for visitors come from the cache, and contain no one else's location", async () => {
    const id = await addImage('approve')
    const tile = '/v2/tiles/0/0/0.mvt'
    for (const path of ['/v2/trails', `/v2/trails/4711/images?limit=500&x=${id}`, tile]) {
      const asked = [await ask(path, ourPage), await ask(path, { 'x-waymark-page': '1' })]
      assert.deepEqual(
        asked.map(({ status, cache }) => [status, cache]),
        [
          [200, 'MISS'],
          [200, 'HIT'],
        ],
        path,
      )
      const direct = await ask(path, ourPage, waymark.url)
      assert.equal(direct.headers.has('ratelimit'), true)
      for (const one of asked) {
        assert.deepEqual(lasting(one), lasting(direct), path)
        assert.equal(one.headers.has('ratelimit') || one.headers.has('ratelimit-policy'), false, path)
      }
      // Without a key, and not from our pages, cached responses are not accessible; with a key, Waymark checks it.
      for (const nobody of [{}, { 'sec-fetch-site': 'cross-site' }, { 'x-api-key': 'wrong' }])
        assert.equal((await ask(path, nobody)).status, 401, path)
      const keyed = await ask(path, { 'x-api-key': key })
      assert.deepEqual([keyed.status, keyed.cache], [200, null])
      assert.match(keyed.headers.get('ratelimit-policy') ?? '', /^"key"/)
    }
    const compressed = await ask(tile, { ...ourPage, 'accept-encoding': 'gzip' })
    const plain = await ask(tile, ourPage)
    assert.deepEqual(
      compressed.body,
      (await ask(tile, { ...ourPage, 'accept-encoding': 'gzip' }, waymark.url)).body,
    )
    assert.equal(plain.headers.get('content-encoding'), null)
  })

  void test('photos that staff unpublish are gone once their time is over, even while others view them', async () => {
    const id = await addImage('approve')
    const list = `/v2/trails/4711/images?limit=500&y=${id}`
    const shows = async () => (await ask(list, ourPage)).body.includes(String(id))
    assert.deepEqual(
      [(await ask(viewOf(id))).status, (await ask(viewOf(id))).cache, await shows()],
      [200, 'HIT', true],
    )
    assert.equal((await waymark.review(rob, id, 'remove')).status, 200)
    // Staff and the submitter still see it, and must not renew it for others.
    const until = performance.now() + (keptSeconds + 1) * 1_000
    while (performance.now() < until) {
      for (const person of [ana, rob]) {
        const seen = await ask(viewOf(id), bearer(person))
        assert.deepEqual(
          [seen.status, seen.cache, seen.headers.get('cache-control')],
          [200, null, 'private, no-store'],
        )
      }
      await ask(viewOf(id), { 'if-none-match': '*' })
      await wait(200)
    }
    assert.deepEqual([(await ask(viewOf(id))).status, await shows()], [404, false])
  })

  void test('pending photos, refusals and responses for accounts are never cached', async () => {
    const pending = await addImage()
    for (let time = 0; time < 2; time += 1) {
      const seen = await ask(viewOf(pending))
      assert.deepEqual(
        [seen.status, seen.cache, seen.headers.get('cache-control')],
        [200, 'MISS', 'private, no-store'],
      )
      assert.equal((await ask(viewOf(1))).cache, 'MISS')
    }
    const listed = await addImage('approve')
    const sessions = ['__Host-waymark=x', 'waymark_language=de; waymark=x', 'a=b;__Host-waymark =x']
    for (const cookie of sessions)
      for (const path of [viewOf(listed), '/v2/trails?z=1'])
        for (let time = 0; time < 2; time += 1)
          assert.equal((await ask(path, { ...ourPage, cookie })).cache, null, `${path} ${cookie}`)
    const cookie = 'waymark_language=de'
    const asked = [await ask(viewOf(listed), { cookie }), await ask(viewOf(listed), { cookie })]
    assert.deepEqual(
      asked.map(({ cache }) => cache),
      ['MISS', 'HIT'],
    )
  })

  void test('nginx does not send cached responses after their time, even if Waymark does not respond', async () => {
    const other = await startWaymark({ environment: { TRUST_PROXY: '127.0.0.1' } })
    const before = await startCachingNginx(other.url, keptSeconds)
    try {
      try {
        await other.addTrail(4711, 'Rim Trail')
        const caches = async () => [(await ask('/v2/trails', ourPage, before.url)).cache]
        assert.deepEqual([...(await caches()), ...(await caches())], ['MISS', 'HIT'])
        await untilForgotten()
        assert.deepEqual([...(await caches()), ...(await caches())], ['EXPIRED', 'HIT'])
        await untilForgotten()
      } finally {
        await other.close()
      }
      assert.equal((await ask('/v2/trails', ourPage, before.url)).status, 502)
    } finally {
      await before.end()
    }
  })
})
