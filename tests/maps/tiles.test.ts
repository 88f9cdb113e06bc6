// The addresses of the vector tiles: which there are, who gets them, how they are sent, and the TileJSON that leads to them.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { reachingNodes } from '../helpers/test-nodes.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { createPhotos, decodeTile } from './map-helpers.ts'

const waymark = await startWaymark({ environment: { PUBLIC_URL: 'https://trails.example/walks' } })
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const key = await waymark.addKey(ana.accountId)
const photos = await createPhotos(waymark, ana, 4711)
await photos.put(Array.from({ length: 40 }, (_, at) => ({ trailId: 4711, place: { lat: 10, lon: at } })))

const keyed = { 'x-api-key': key }
const ask = (path: string, headers: Record<string, string> = keyed) => waymark.fetch(path, { headers })

/** As it came, whatever it was encoded with. */
async function raw(path: string, headers: Record<string, string>) {
  const { hostname, port } = new URL(waymark.url)
  const sent = request({ hostname, port, path, headers: { ...keyed, ...headers } }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const body = Buffer.concat(await answer.toArray())
  return { status: answer.statusCode, headers: answer.headers, body }
}

void test('Part D: a tile address that does not exist returns 404, and the response says what is valid', async () => {
  const none = [
    '23/0/0',
    '0/1/0',
    '0/0/1',
    '1/2/0',
    '1/0/2',
    '-1/0/0',
    '01/0/0',
    '1.5/0/0',
    'a/b/c',
    '1/0/0x',
    '22/4194304/0',
    '1e1/0/0',
    '5/%30/0%00',
  ]
  for (const address of reachingNodes(none)) {
    const answer = await ask(`/v2/tiles/${address}.mvt`)
    assert.equal(answer.status, 404, address)
  }
  const text = await (await ask('/v2/tiles/23/0/0.mvt')).text()
  assert.match(text, /No such tile: z may be up to 22/)
  for (const address of ['0/0/0', '22/4194303/4194303', '22/0/0', '/%31/0/0'.slice(1)])
    assert.equal((await ask(`/v2/tiles/${address}.mvt`)).status, 200, address)
  for (const path of ['/v2/tiles/0/0/0', '/v2/tiles/0/0/0.pbf', '/v2/tiles/0/0'])
    assert.equal((await ask(path)).status, 404, path)
})

void test('C28 C31: an API key, or a token with images:read, gives access to tiles and TileJSON, from pages of any origin', async () => {
  for (const path of ['/v2/tiles/0/0/0.mvt', '/v2/tiles.json']) {
    assert.equal((await ask(path, {})).status, 401, path)
    assert.equal((await ask(path, { 'x-api-key': 'wm_wrong' })).status, 401, path)
    assert.equal(
      (await waymark.fetch(path, { token: await waymark.tokenFor(ana.accountId, 'routes:read') })).status,
      403,
    )
    const byToken = await waymark.fetch(path, { token: ana.token })
    assert.deepEqual([byToken.status, byToken.headers.get('cache-control')], [200, 'private, no-store'])
    const byKey = await ask(path, { ...keyed, origin: 'https://map.example' })
    assert.deepEqual([byKey.status, byKey.headers.get('access-control-allow-origin')], [200, '*'])
  }
  const { headers } = await ask('/v2/tiles/0/0/0.mvt')
  assert.equal(headers.get('cache-control'), 'private, max-age=60')
})

void test('Part D: an empty tile returns 200 with an empty body', async () => {
  const answer = await ask('/v2/tiles/5/0/31.mvt')
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'application/vnd.mapbox-vector-tile')
  assert.equal((await answer.arrayBuffer()).byteLength, 0)
})

void test('C39: gzip where it is accepted, an ETag for each encoding, and 304', async () => {
  const path = '/v2/tiles/0/0/0.mvt'
  const plain = await raw(path, {})
  const packed = await raw(path, { 'accept-encoding': 'br, gzip;q=0.8' })
  assert.equal(plain.headers['content-encoding'], undefined)
  assert.equal(packed.headers['content-encoding'], 'gzip')
  assert.deepEqual(gunzipSync(packed.body), plain.body)
  assert.equal(decodeTile(plain.body)['photos']?.length, 40)
  assert.match(String(packed.headers['vary']), /Accept-Encoding/)
  assert.notEqual(plain.headers['etag'], packed.headers['etag'])
  for (const { headers } of [plain, packed]) {
    const encoding = headers === packed.headers ? { 'accept-encoding': 'gzip' } : {}
    const again = await raw(path, { ...encoding, 'if-none-match': String(headers['etag']) })
    assert.deepEqual([again.status, again.body.length], [304, 0])
  }
  for (const refused of ['gzip;q=0', 'identity', 'br'])
    assert.equal((await raw(path, { 'accept-encoding': refused })).headers['content-encoding'], undefined)
  const head = await waymark.fetch(path, { method: 'HEAD', headers: keyed })
  assert.deepEqual([head.status, (await head.arrayBuffer()).byteLength], [200, 0])
})

void test('Part D: the TileJSON is the only address that a map needs, and passes on the key of its own address', async () => {
  const described = (await (await ask('/v2/tiles.json')).json()) as Record<string, unknown>
  assert.deepEqual(described['tiles'], ['https://trails.example/walks/v2/tiles/{z}/{x}/{y}.mvt'])
  const answer = await ask(`/walks/v2/tiles.json?api_key=${key}`, {})
  const {
    tiles,
    vector_layers: layers,
    ...rest
  } = (await answer.json()) as {
    tiles: string[]
    vector_layers: { id: string; fields: object }[]
  }
  assert.deepEqual(rest, {
    tilejson: '3.0.0',
    name: 'Waymark',
    scheme: 'xyz',
    minzoom: 0,
    maxzoom: 18,
    bounds: [-180, -85.0511, 180, 85.0511],
  })
  const [template = ''] = tiles
  const address = template.replace('{z}', '0').replace('{x}', '0').replace('{y}', '0')
  assert.equal(address, `https://trails.example/walks/v2/tiles/0/0/0.mvt?api_key=${key}`)
  const { pathname, search } = new URL(address)
  const tile = decodeTile(new Uint8Array(await (await ask(pathname + search, {})).arrayBuffer()))
  const photo = tile['photos']?.[0]
  assert.deepEqual(
    layers.map(({ id }) => id),
    ['photos', 'routes', 'trails'],
  )
  assert.deepEqual(
    Object.keys(photo?.properties ?? {}).toSorted(),
    Object.keys(layers[0]?.fields ?? {}).toSorted(),
  )
  assert.equal((await ask(`/v2/tiles.json?api_key=${key}&api_key=${key}`, {})).status, 400)
})
