// The photos layer of vector tiles: only published photos, each in exactly one tile per zoom, thinned out where there are
// many.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startWaymark } from '../helpers/waymark.ts'
import { createPhotos, squareOf, tileNumbers, tileOf, type Place } from './map-helpers.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
await waymark.addTrail(4712, 'Crowded Trail')
const ana = await waymark.addPerson()
const rob = await waymark.addPerson({ role: 'reviewer' })
const key = await waymark.addKey(ana.accountId)
const photos = await createPhotos(waymark, ana, 4711)
const zooms = Array.from({ length: 23 }, (_, zoom) => zoom)

const photosIn = async (address: string) => (await tileOf(waymark, key, address))['photos'] ?? []

/** On the edges of tiles, of the world and of the square of Web Mercator, and beyond. */
const places: readonly Place[] = [
  { lat: 45.523_064, lon: -122.676_483 },
  { lat: 45.523_065, lon: -122.676_484 },
  { lat: 0, lon: 0.000_001 },
  { lat: 0.000_001, lon: 0 },
  { lat: -0.000_001, lon: -0.000_001 },
  { lat: 66.513_260_443_11, lon: 90 },
  { lat: 12, lon: 180 },
  { lat: 12, lon: -180 },
  { lat: 12, lon: 179.999_999_99 },
  { lat: 85.06, lon: 10 },
  { lat: -85.06, lon: 10 },
  { lat: 90, lon: 20 },
  { lat: -90, lon: 20 },
  { lat: 85.051_128_779_806_6, lon: -180 },
]
const ids = await photos.put(places.map((place) => ({ trailId: 4711, place })))
await photos.put(
  (['pending', 'rejected', 'removed', 'deleted'] as const).flatMap((state) =>
    places.map((place) => ({ trailId: 4711, state, place, title: 'Hidden' })),
  ),
)
await photos.put([{ trailId: 4711, title: 'Nowhere' }])

void test('Part D: at every zoom each listed photo is in the tile of its place, at its position, and no other photo is', async () => {
  for (const zoom of zooms) {
    const expected = Map.groupBy(
      places.map((place, at) => ({ place, id: ids[at] ?? 0 })),
      ({ place }) => tileNumbers(place.lat, place.lon, zoom).join('/'),
    )
    for (const [numbers, here] of expected) {
      const drawn = await photosIn(`${zoom}/${numbers}`)
      const sorted = drawn.map(({ id }) => id ?? 0).toSorted((one, other) => one - other)
      assert.deepEqual(
        sorted,
        here.map(({ id }) => id),
        `${zoom}/${numbers}`,
      )
      for (const { place, id } of here) {
        const [[dot] = []] = drawn.find((feature) => feature.id === id)?.lines ?? []
        const [tileX = 0, tileY = 0] = numbers.split('/').map(Number)
        const [x, y] = squareOf(place.lat, place.lon)
        const exact = [x * 2 ** zoom - tileX, y * 2 ** zoom - tileY].map((share) => share * 4096)
        for (const [axis, value] of exact.entries()) {
          const shown = dot?.[axis] ?? NaN
          assert.ok(shown >= 0 && shown < 4096, `${zoom}/${numbers}: ${shown}`)
          assert.ok(Math.abs(shown - value) <= 1.01, `${zoom}/${numbers}: ${shown} for ${value}`)
        }
      }
    }
    if (zoom % 4 !== 2) continue
    // The neighbours have none of them again.
    const [x, y] = tileNumbers(45.523_064, -122.676_483, zoom)
    const neighbours = [
      [x - 1, y],
      [x + 1, y],
      [x, y - 1],
      [x, y + 1],
    ] as const
    for (const [column, row] of neighbours.filter((two) =>
      two.every((number) => number >= 0 && number < 2 ** zoom),
    )) {
      const here = expected.get(`${column}/${row}`)?.map(({ id }) => id) ?? []
      const drawn = await photosIn(`${zoom}/${column}/${row}`)
      assert.deepEqual(
        drawn.map(({ id }) => id ?? 0).toSorted((one, other) => one - other),
        here,
      )
    }
  }
})

void test('Part D: a photo in a tile has its id, its trail and its title, but no addresses, which would be most of the tile', async () => {
  const [x, y] = tileNumbers(12, 180, 5)
  const drawn = await photosIn(`5/${x}/${y}`)
  const id = ids[6] ?? 0
  assert.deepEqual(drawn.find((feature) => feature.id === id)?.properties, {
    imageID: id,
    trailID: 4711,
    trailName: 'Rim Trail',
    title: 'A title',
  })
})

void test('C23: a photo that staff remove or restore is gone from, or back on, the next tile', async () => {
  const id = ids[0] ?? 0
  const address = `12/${tileNumbers(45.523_064, -122.676_483, 12).join('/')}`
  const isShown = async () => (await photosIn(address)).some((feature) => feature.id === id)
  assert.ok(await isShown())
  assert.equal((await waymark.review(rob, id, 'remove')).status, 200)
  assert.ok(!(await isShown()))
  assert.equal((await waymark.review(rob, id, 'restore')).status, 200)
  assert.ok(await isShown())
})

void test('Part D: a tile with thousands of photos has one for each occupied square, and a closer tile has them all', async () => {
  // 2,400 in some 0.6 degrees of longitude; half of them stand on one spot.
  const crowd = Array.from({ length: 2_400 }, (_, index) => ({
    trailId: 4712,
    place:
      index % 2 === 0 ? { lat: 20, lon: 30.5 } : { lat: 20 + (index % 37) / 100, lon: 30 + index / 4_200 },
  }))
  const crowdIds = await photos.put(crowd)
  const zoom = 4
  const [x, y] = tileNumbers(20, 30.5, zoom)
  const squares = new Map<string, number>()
  for (const { place } of crowd) squares.set(tileNumbers(place.lat, place.lon, zoom + 5).join('/'), 1)
  const drawn = await photosIn(`${zoom}/${x}/${y}`)
  const drawnSquares = drawn.map(({ id }) => {
    const { place } = crowd[crowdIds.indexOf(id ?? 0)] ?? assert.fail(`${id} is none of them`)
    return tileNumbers(place.lat, place.lon, zoom + 5).join('/')
  })
  assert.deepEqual(drawnSquares.toSorted(), [...squares.keys()].toSorted())
  // 1,200 on one spot are never more than a thousand, at no zoom, and none of them is missing altogether.
  for (const closer of [10, 14, 19, 20, 22]) {
    const here = await photosIn(`${closer}/${tileNumbers(20, 30.5, closer).join('/')}`)
    assert.ok(here.length >= 1 && here.length <= 1_024, `${closer}: ${here.length}`)
  }
  const [apart = { place: { lat: 0, lon: 0 } }] = crowd.slice(1)
  const alone = await photosIn(`16/${tileNumbers(apart.place.lat, apart.place.lon, 16).join('/')}`)
  assert.ok(alone.some(({ id }) => id === crowdIds[1]))
})
