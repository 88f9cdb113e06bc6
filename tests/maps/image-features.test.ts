// GET /v2/trails/{trailID}/images.geojson: the listed images of a trail, for QGIS and every other reader of RFC 7946 (Part D).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { imageSizes } from '../../src/shared/image-sizes.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { createPhotos } from './map-helpers.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
await waymark.addTrail(4712, 'Other Trail')
await waymark.addTrail(4713, 'Long Trail')
const ana = await waymark.addPerson({ name: 'Ana' })
const rob = await waymark.addPerson({ role: 'reviewer' })
const key = await waymark.addKey(ana.accountId)
const photos = await createPhotos(waymark, ana, 4711)

interface Feature {
  readonly type: string
  readonly properties: Record<string, unknown> & { readonly imageID: number }
  readonly geometry: { readonly type: string; readonly coordinates: readonly number[] } | null
}

const ask = (trail: number, query = '', headers: Record<string, string> = {}) =>
  waymark.fetch(`/v2/trails/${trail}/images.geojson?api_key=${key}${query}`, { headers })

async function featuresOf(trail: number, query = ''): Promise<Feature[]> {
  const answer = await ask(trail, query)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'application/geo+json; charset=utf-8')
  const { type, features } = (await answer.json()) as { type: string; features: Feature[] }
  assert.equal(type, 'FeatureCollection')
  return features
}

const idsOf = (features: readonly Feature[]): number[] => features.map(({ properties }) => properties.imageID)

const [placed = 0, unplaced = 0, eastern = 0] = await photos.put([
  { trailId: 4711, place: { lat: 45.5, lon: -122.25 }, title: 'Näher "heran" \\ 🥾' },
  { trailId: 4711 },
  { trailId: 4711, place: { lat: -16.5, lon: 179.9 } },
  { trailId: 4711, state: 'pending', place: { lat: 45.5, lon: -122.25 } },
  { trailId: 4711, state: 'rejected', place: { lat: 45.5, lon: -122.25 } },
  { trailId: 4711, state: 'removed', place: { lat: 45.5, lon: -122.25 } },
  { trailId: 4711, state: 'deleted', place: { lat: 45.5, lon: -122.25 } },
  { trailId: 4712, place: { lat: 45.5, lon: -122.25 } },
])

void test('Part D C28: all listed images of the trail and no others, in order; without a position the geometry is null', async () => {
  const [first, ...others] = await featuresOf(4711)
  const urlOf = (size: string) => `https://trails.example/ImageHandler?id=${placed}&t=${size}`
  assert.deepEqual(first, {
    type: 'Feature',
    properties: {
      imageID: placed,
      trailID: 4711,
      title: 'Näher "heran" \\ 🥾',
      caption: '',
      displayName: 'Ana',
      postedAt: '2026-05-14T09:08:07.000Z',
      urls: Object.fromEntries(imageSizes.map((size) => [size, urlOf(size)])),
      takenAtZone: null,
      positionSource: null,
      altitude: null,
      takenOn: null,
      takenAt: null,
      positionAccuracy: null,
      direction: null,
    },
    geometry: { type: 'Point', coordinates: [-122.25, 45.5] },
  })
  assert.deepEqual(idsOf(others), [unplaced, eastern])
  assert.equal(others[0]?.geometry, null)
  // Staff and the submitter too see listed ones only: the same photos are on the map for everybody.
  for (const { token } of [ana, rob]) {
    const answer = await waymark.fetch('/v2/trails/4711/images.geojson', { token })
    assert.equal(answer.headers.get('cache-control'), 'private, no-store')
    const { features } = (await answer.json()) as { features: Feature[] }
    assert.deepEqual(idsOf(features), [placed, unplaced, eastern])
  }
  assert.deepEqual(await featuresOf(4713), [])
})

void test('Part D: bbox returns the images inside it, across the antimeridian too, and none without a position', async () => {
  assert.deepEqual(idsOf(await featuresOf(4711, '&bbox=-123,45,-122,46')), [placed])
  assert.deepEqual(idsOf(await featuresOf(4711, '&bbox=-122.25,45.5,-122.25,45.5')), [placed])
  assert.deepEqual(idsOf(await featuresOf(4711, '&bbox=170,-20,-170,-10')), [eastern])
  assert.deepEqual(idsOf(await featuresOf(4711, '&bbox=170,-20,-120,50')), [placed, eastern])
  assert.deepEqual(await featuresOf(4711, '&bbox=0,0,1,1'), [])
  for (const bbox of ['', '1,2,3', 'a,b,c,d', '0,0,200,1', '0,2,1,1']) {
    const answer = await ask(4711, `&bbox=${bbox}`)
    assert.equal(answer.status, 400, bbox)
  }
})

void test('C31: 401 without a key, 404 for an unknown trail, 403 without the scope', async () => {
  assert.equal((await waymark.fetch('/v2/trails/4711/images.geojson')).status, 401)
  assert.equal((await waymark.fetch('/v2/trails/x/images.geojson')).status, 401)
  for (const trail of ['4999', 'x', '0']) {
    const answer = await waymark.fetch(`/v2/trails/${trail}/images.geojson?api_key=${key}`)
    assert.equal(answer.status, 404)
    assert.match(await answer.text(), /Invalid Trail ID/)
  }
  const token = await waymark.tokenFor(ana.accountId, 'routes:read')
  assert.equal((await waymark.fetch('/v2/trails/4711/images.geojson', { token })).status, 403)
})

void test('C19 C39: a decision, an edit or a renamed account shows in the next response, and nothing else changes the ETag', async () => {
  const { db } = waymark.installation.database
  const tags = new Set<string>()
  const look = async (): Promise<string> => {
    const answer = await ask(4711)
    const etag = answer.headers.get('etag') ?? ''
    assert.equal((await ask(4711, '', { 'if-none-match': etag })).status, 304)
    assert.ok(!tags.has(etag), 'the same tag for another text')
    tags.add(etag)
    return answer.text()
  }
  assert.match(await look(), /"displayName":"Ana"/)
  await db.updateTable('account').set({ display_name: 'Anna' }).where('id', '=', ana.accountId).execute()
  assert.match(await look(), /"displayName":"Anna"/)
  const edit = await waymark.fetch(`/Trails/4711/Images/${placed}`, {
    method: 'PUT',
    token: ana.token,
    headers: { 'content-type': 'application/json' },
    body: '{"title":"Changed","lat":1,"lon":2}',
  })
  assert.equal(edit.status, 200)
  assert.match(await look(), /"title":"Changed".*"coordinates":\[2,1\]/)
  assert.equal((await waymark.review(rob, placed, 'remove')).status, 200)
  assert.doesNotMatch(await look(), new RegExp(`"imageID":${placed}`))
})

void test('Part D: three thousand images are returned completely, each once and in order, without blocking other requests', async () => {
  const count = 3_000
  const ids = await photos.put(
    Array.from({ length: count }, (_, index) => ({
      trailId: 4713,
      place: { lat: index / 1_000, lon: -index / 100 },
    })),
  )
  let turns = 0
  const beat = setInterval(() => void (turns += 1), 1)
  const found = idsOf(await featuresOf(4713))
  clearInterval(beat)
  assert.deepEqual(found, ids)
  assert.ok(turns >= count / 500, `${turns} turns`)
  assert.equal((await featuresOf(4713, '&bbox=-1,0,0,1')).length, 101)
})
