// After any change of photos, every tile equals that of a server without a cache.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createChanges } from '../../src/commits.ts'
import { createTiles } from '../../src/maps/tiles.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { createPhotos, decodeTile, tileNumbers, type Place } from './map-helpers.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const rob = await waymark.addPerson({ role: 'reviewer' })
const key = await waymark.addKey(ana.accountId)
const photos = await createPhotos(waymark, ana, 4711)
const { db } = waymark.installation.database
const zooms = [0, 4, 5, 6, 7, 8, 9, 12, 16]

/** In the same tile of zoom 6, a quarter of it apart, and elsewhere on the globe. */
const places = [
  { lat: 46, lon: 7 },
  { lat: 46.5, lon: 10.5 },
  { lat: -33.5, lon: 150.3 },
] as const satisfies readonly Place[]

async function freshTile(z: number, x: number, y: number): Promise<Buffer> {
  const changes = createChanges({ look: () => undefined })
  const tiles = createTiles({ db, changes, findRoutes: () => Promise.resolve([]) })
  return (await tiles.find({ z, x, y }, () => undefined)).bytes
}

/** Every zoom around every place, each twice, since the second response is cached. */
async function assertRight(what: string): Promise<void> {
  for (const z of zooms)
    for (const { lat, lon } of places) {
      const [x, y] = tileNumbers(lat, lon, z)
      const fresh = await freshTile(z, x, y)
      for (const time of ['first', 'second']) {
        const answer = await waymark.fetch(`/v2/tiles/${z}/${x}/${y}.mvt?api_key=${key}`)
        const bytes = Buffer.from(await answer.arrayBuffer())
        assert.ok(bytes.equals(fresh), `${what}: ${z}/${x}/${y}, the ${time} time`)
      }
    }
}

async function patch(id: number, change: object): Promise<void> {
  const answer = await waymark.fetch(`/v2/images/${id}`, {
    method: 'PATCH',
    token: ana.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(change),
  })
  assert.equal(answer.status, 200, await answer.text())
}

const at = ({ lat, lon }: Place) => ({ lat, lon })

async function walk(id: number, of: string): Promise<void> {
  const [here, near, far] = places
  const review = async (what: string) => assert.equal((await waymark.review(rob, id, what)).status, 200)
  const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['a title', () => patch(id, { title: 'Another' })],
    ['a move within the tile', () => patch(id, at(near))],
    ['a move away', () => patch(id, at(far))],
    ['a title elsewhere', () => patch(id, { title: 'Elsewhere' })],
    ['no position', () => patch(id, { lat: null, lon: null })],
    ['a position', () => patch(id, at(here))],
    ['removal', () => review('remove')],
    ['a move while removed', () => patch(id, at(near))],
    ['return', () => review('restore')],
    ['the trash', () => waymark.fetch(`/v2/images/${id}`, { method: 'DELETE', token: ana.token })],
    [
      'back from the trash',
      () => waymark.fetch(`/v2/images/${id}/restore`, { method: 'POST', token: ana.token }),
    ],
  ]
  await assertRight(`${of}: the beginning`)
  for (const [what, step] of steps) {
    await step()
    await assertRight(`${of}: ${what}`)
  }
}

void test('every tile is right after every kind of change to a photo, in sparse and in crowded tiles', async () => {
  const [few = 0] = await photos.put([{ trailId: 4711, place: places[0], title: 'One' }])
  await walk(few, 'few')
  // More than a thousand in the tile of zoom 6, spread over its parts.
  await photos.put(
    Array.from({ length: 1_200 }, (_, index) => ({
      trailId: 4711,
      place: { lat: 45.6 + (index % 40) / 15, lon: 5.7 + index / 220 },
    })),
  )
  const [x, y] = tileNumbers(46, 7, 6)
  const crowd = decodeTile(await freshTile(6, x, y))['photos']?.length ?? 0
  assert.ok(crowd > 300 && crowd < 1_024, String(crowd))
  const first = await db
    .selectFrom('map_square')
    .innerJoin('image', 'image.id', 'map_square.image_id')
    .select('image.id')
    .where('map_square.zoom', '=', 11)
    .where('image.longitude', '>', 8)
    .orderBy('image.id')
    .limit(1)
    .executeTakeFirstOrThrow()
  await walk(first.id, 'many')
})
