// The layers of a tile: each is read again once a commit has touched its data, and not before.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createChanges } from '../../src/commits.ts'
import type { MapLine } from '../../src/maps/line-cache.ts'
import { createTiles, tagsOf } from '../../src/maps/tiles.ts'
import { cellOf, toldSquareOf } from '../../src/shared/geo/cells.ts'
import { createPoints } from '../../src/shared/geo/points.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { createPhotos, decodeTile, tileNumbers } from './map-helpers.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const photos = await createPhotos(waymark, ana, 4711)
const { db } = waymark.installation.database
const [x, y] = tileNumbers(46, 7, 9)
const tile = { z: 9, x, y }
const here = `square:${toldSquareOf(cellOf(46, 7))}`

/** A route through the tile, with how often it was read. */
function routeThrough(key: string, isThere = true) {
  const points = createPoints()
  points.add(46, 7)
  points.add(46.1, 7.2)
  const reads = { count: 0 }
  const line: MapLine = {
    id: 7,
    key,
    pointCount: 2,
    properties: { routeID: 7, name: key },
    read: () => {
      reads.count += 1
      return Promise.resolve(isThere ? [{ points, first: 0, end: 2 }] : undefined)
    },
  }
  return { line, reads }
}

/** Tiles over the database of the test, whose commits it tells by hand. */
function tilesWith(lines: () => MapLine[]) {
  const changes = createChanges({ look: () => undefined })
  const asked = { routes: 0 }
  const costs: number[] = []
  const tiles = createTiles({
    db,
    changes,
    findRoutes: () => {
      asked.routes += 1
      return Promise.resolve(lines())
    },
  })
  const find = () => tiles.find(tile, (cost) => void costs.push(cost))
  return { changes, asked, costs, tiles, find, drawn: async () => decodeTile((await find()).bytes) }
}

void test('a commit that affects only photos does not look up or draw any line again', async () => {
  const { line, reads } = routeThrough('first')
  const { changes, asked, find, drawn } = tilesWith(() => [line])
  assert.deepEqual(Object.keys(await drawn()), ['routes'])
  const before = await find()
  const [id] = await photos.put([{ trailId: 4711, place: { lat: 46, lon: 7 }, title: 'New' }])
  assert.equal(await find(), before, 'nobody told of a commit')
  changes.committed(new Set(['photos', 'square:1']))
  assert.equal(await find(), before, 'the photo is elsewhere')
  changes.committed(new Set(['photos', here]))
  const after = await drawn()
  assert.deepEqual(
    after['photos']?.map((feature) => feature.id),
    [id],
  )
  assert.equal(after['routes']?.length, 1)
  assert.deepEqual([asked.routes, reads.count], [1, 1])
  changes.committed(new Set(['image:1', 'trail:1', 'feed']))
  const kept = await find()
  changes.committed(new Set(['squares']))
  assert.equal(await find(), kept, 'the same bytes are the same tile')
  await photos.put([{ trailId: 4711, place: { lat: 46, lon: 7 }, title: 'Newer' }])
  changes.committed(new Set(['squares']))
  assert.notEqual(await find(), kept, 'nobody said where')
})

void test('a tile depends on the squares that it covers, and a tile of the whole world on all photos', () => {
  const squares = (z: number) => {
    const tags = tagsOf({ z, x: 0, y: 1 })
    return tags.filter((tag) => tag.startsWith('square:')).map((tag) => Number(tag.slice('square:'.length)))
  }
  assert.deepEqual(tagsOf({ z: 5, x: 0, y: 1 }), ['routes', 'photos'])
  assert.deepEqual(
    squares(6),
    Array.from({ length: 16 }, (_, at) => 32 + at),
  )
  assert.deepEqual(squares(7), [8, 9, 10, 11])
  assert.deepEqual([squares(8), squares(22)], [[2], [0]])
  assert.ok([6, 7, 8, 22].every((z) => tagsOf({ z, x: 0, y: 1 }).includes('squares')))
})

void test('changed routes are drawn again, and unchanged ones are only looked up', async () => {
  const [first, second] = [routeThrough('first'), routeThrough('second')]
  let shown = [first.line]
  const { changes, asked, find, drawn } = tilesWith(() => shown)
  const before = await find()
  changes.committed(new Set(['routes']))
  assert.equal(await find(), before)
  assert.deepEqual([asked.routes, first.reads.count], [2, 1])
  shown = [second.line]
  changes.committed(new Set(['routes']))
  assert.equal((await drawn())['routes']?.[0]?.properties['name'], 'second')
  shown = []
  changes.committed('everything')
  assert.equal((await drawn())['routes'], undefined)
})

void test('a layer that lacks a line hidden meanwhile is looked up again, whatever changes were reported', async () => {
  const { asked, drawn } = tilesWith(() => [routeThrough('hidden', false).line])
  assert.equal((await drawn())['routes'], undefined)
  await drawn()
  assert.equal(asked.routes, 2)
})

void test('a renamed trail has its new name once the change is reported', async () => {
  await photos.put([{ trailId: 4711, place: { lat: 46.01, lon: 7.01 } }])
  const { changes, drawn } = tilesWith(() => [])
  const namesOf = async () =>
    new Set((await drawn())['photos']?.map(({ properties }) => properties['trailName']))
  assert.deepEqual(await namesOf(), new Set(['Rim Trail']))
  await db.updateTable('trail').set({ name: 'Edge Trail' }).where('id', '=', 4711).execute()
  changes.committed('everything')
  assert.deepEqual(await namesOf(), new Set(['Edge Trail']))
})

void test('gzip is made once, when it is asked for', async () => {
  const { tiles, find } = tilesWith(() => [])
  const made = await find()
  assert.equal(await tiles.compress(made), await tiles.compress(made))
})
