// Visitors of our pages see public content without a credential, and no one gets anything else (decision 0076).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { jpegPicture } from '../helpers/pictures.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'

const ours = { 'sec-fetch-site': 'same-origin' }
const plain = { 'x-waymark-page': '1' }

void describe('visitors on our own pages', () => {
  let waymark: Waymark
  let listed: number
  let pending: number

  before(async () => {
    waymark = await startWaymark()
    await waymark.addTrail(7, 'Rim Trail')
    const member = await waymark.addPerson({ role: 'reviewer' })
    listed = await waymark.upload(member, 7, await jpegPicture())
    pending = await waymark.upload(member, 7, await jpegPicture({ width: 20 }))
    await waymark.review(member, listed, 'approve')
  })
  after(() => waymark.close())

  const statusOf = async (path: string, headers: Record<string, string>): Promise<number> =>
    (await waymark.fetch(path, { headers })).status

  const readings = (): string[] => [
    '/v2/trails',
    '/v2/trails/7',
    '/v2/trails/7/images',
    '/v2/trails/7/images.geojson',
    '/v2/trails.csv',
    '/v2/trails.geojson',
    `/v2/images/${listed}`,
    '/v2/tiles.json',
    '/v2/tiles/0/0/0.mvt',
  ]

  it('Part D: every v2 read of listed content is open to our own pages, identified by the browser or by their header', async () => {
    for (const path of readings()) {
      assert.equal(await statusOf(path, ours), 200, path)
      assert.equal(await statusOf(path, plain), 200, path)
      assert.equal(await statusOf(path, {}), 401, path)
    }
  })

  it('another origin reported by the browser takes precedence over the header', async () => {
    for (const site of ['cross-site', 'same-site', 'none'])
      assert.equal(await statusOf('/v2/trails', { ...plain, 'sec-fetch-site': site }), 401, site)
    assert.equal(await statusOf('/v2/trails', { 'x-waymark-page': 'true' }), 401)
  })

  it('see what is listed, and for anything else that it does not exist', async () => {
    const answer = await waymark.fetch('/v2/trails/7/images', { headers: ours })
    const { items } = (await answer.json()) as { items: { imageID: number }[] }
    assert.deepEqual(
      items.map(({ imageID }) => imageID),
      [listed],
    )
    assert.equal(await statusOf(`/v2/images/${pending}`, ours), 404)
    assert.equal(await statusOf('/v2/images/1', ours), 404)
    for (const path of ['/v2/images', '/v2/me', '/v2/review/queue', '/v2/changes', '/v2/trash'])
      assert.equal(await statusOf(path, { ...ours, ...plain }), 401, path)
  })

  it('C28: the classic surface still requires its API key', async () => {
    for (const path of ['/Trails/7/Images', `/Trails/7/Images/${listed}`, '/V1/Trails/7/Images/'])
      assert.equal(await statusOf(path, { ...ours, ...plain }), 401, path)
  })

  it('a wrong credential is refused, not ignored', async () => {
    assert.equal(await statusOf('/v2/trails', { ...ours, 'x-api-key': 'wm_wrong' }), 401)
    assert.equal(await statusOf('/v2/trails', { ...ours, authorization: 'Bearer wrong' }), 401)
  })

  it('trust 43: no page of another origin can send the header', async () => {
    const answer = await waymark.fetch('/v2/trails', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-waymark-page',
      },
    })
    const allowed = answer.headers.get('access-control-allow-headers') ?? ''
    assert.match(allowed, /X-API-Key/)
    assert.doesNotMatch(allowed, /waymark|\*/i)
  })

  it('over plain HTTP a session is accepted with the header, also for changes', async () => {
    const person = await addSignedIn(waymark)
    const cookie = [...person.jar].map(([name, value]) => `${name}=${value}`).join('; ')
    assert.equal(await statusOf('/v2/me', { cookie, ...plain }), 200)
    assert.equal(await statusOf('/v2/me', { cookie }), 401)
    const rename = (headers: Record<string, string>) =>
      waymark.fetch('/v2/me', {
        method: 'PATCH',
        headers: { cookie, 'content-type': 'application/json', ...headers },
        body: '{"displayName":"Ana"}',
      })
    assert.equal((await rename({})).status, 401)
    assert.equal((await rename(plain)).status, 200)
    assert.equal(await statusOf('/v2/me', { cookie, ...plain, 'sec-fetch-site': 'cross-site' }), 401)
  })
})

void describe('the rate limit for visitors', () => {
  it('counts reads without a credential by address, whatever origin the request claims', async () => {
    const waymark = await startWaymark({
      environment: { RATE_LIMIT_FACTOR: '1', RATE_VISITORS: '4', RATE_ADDRESS: '2' },
    })
    try {
      const ways = [ours, {}, plain, { ...ours, cookie: '__Host-waymark=ended' }, plain, ours, {}]
      const asked: number[] = []
      for (const headers of ways) {
        const answer = await waymark.fetch('/v2/trails', { headers })
        asked.push(answer.status)
        assert.match(answer.headers.get('ratelimit-policy') ?? '', /^"visitors";q=4;w=60$/)
      }
      assert.deepEqual(asked, [200, 401, 200, 200, 429, 429, 429])
      // What is not for visitors has the limit of addresses, with the header as without it.
      for (const headers of [plain, {}]) {
        const answer = await waymark.fetch('/v2/me', { headers })
        assert.equal(answer.status, 401)
        assert.match(answer.headers.get('ratelimit-policy') ?? '', /^"address";q=2;w=60$/)
      }
      assert.equal((await waymark.fetch('/v2/me', { headers: plain })).status, 429)
    } finally {
      await waymark.close()
    }
  })
})
