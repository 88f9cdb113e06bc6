// The routes and trails layers of vector tiles: the public views of public routes only, and no lines across the world.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startWaymark, type Person } from '../helpers/waymark.ts'
import { addRoute, addZone, changeRoute, gpxOf, type Point } from '../account-routes/v2-helpers.ts'
import { squareOf, tileNumbers, tileOf, type Dot, type Place } from './map-helpers.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const ana = await waymark.addPerson({ name: 'Ana' })
const key = await waymark.addKey(ana.accountId)
const zooms = Array.from({ length: 23 }, (_, zoom) => zoom)

const layerIn = async (layer: string, address: string) => (await tileOf(waymark, key, address))[layer] ?? []
/** What a tile shows of one route. */
const routeIn = async (address: string, routeID: number) =>
  (await layerIn('routes', address)).filter(({ id }) => id === routeID)
const addressAt = (lat: number, lon: number, zoom: number) =>
  `${zoom}/${tileNumbers(lat, lon, zoom).join('/')}`

/** Adds a route and waits until it is shown: asking for it derives what others see. */
async function addShown(person: Person, body: object): Promise<number> {
  const { routeID } = await addRoute(waymark, person, { visibility: 'public', ...body })
  assert.equal((await waymark.fetch(`/v2/routes/${routeID}`)).status, 200)
  return routeID
}

/** Dots of a tile in the square. */
const inSquare = ([x, y]: Dot, address: string): Dot => {
  const [zoom = 0, column = 0, row = 0] = address.split('/').map(Number)
  return [(column + x / 4096) / 2 ** zoom, (row + y / 4096) / 2 ** zoom]
}

function distance([x, y]: Dot, [fromX, fromY]: Dot, [toX, toY]: Dot): number {
  const [dx, dy] = [toX - fromX, toY - fromY]
  const length = dx * dx + dy * dy
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - fromX) * dx + (y - fromY) * dy) / length))
  return Math.hypot(x - fromX - share * dx, y - fromY - share * dy)
}

const toLine = (dot: Dot, line: readonly Dot[]): number =>
  Math.min(...line.slice(1).map((to, at) => distance(dot, line[at] ?? to, to)))

const walk = (count: number): Point[] =>
  Array.from({ length: count }, (_, at) => [46 + at * 0.0004, 7 + Math.sin(at / 9) * 0.01])

void test('Part D: at every zoom a public route is where its points are, within a few units, in every tile that it crosses', async () => {
  const points = walk(120)
  const routeID = await addShown(ana, { name: 'Ridge', gpx: gpxOf([points]) })
  const line = points.map(([lat, lon]) => squareOf(lat, lon))
  for (const zoom of zooms) {
    const dotSide = 1 / (4096 * 2 ** zoom)
    const addresses = new Set(points.map(([lat, lon]) => addressAt(lat, lon, zoom)))
    for (const address of [...addresses].slice(0, 6)) {
      const [feature] = await routeIn(address, routeID)
      if (feature === undefined) {
        // Too small to be seen: the whole of it is some dots.
        assert.ok(zoom < 6, address)
        continue
      }
      assert.deepEqual([feature.id, feature.properties['name']], [routeID, 'Ridge'])
      const drawn = feature.lines.map((dots) => dots.map((dot) => inSquare(dot, address)))
      for (const dot of drawn.flat()) assert.ok(toLine(dot, line) <= 5 * dotSide, `${address}: off the line`)
      for (const [lat, lon] of points.filter((point) => addressAt(point[0], point[1], zoom) === address)) {
        const nearest = Math.min(...drawn.map((dots) => toLine(squareOf(lat, lon), dots)))
        assert.ok(nearest <= 6 * dotSide, `${address}: a point is ${nearest / dotSide} dots off`)
      }
    }
  }
  assert.deepEqual((await routeIn(addressAt(46, 7, 12), routeID))[0]?.properties, {
    routeID,
    acctID: ana.accountId,
    displayName: 'Ana',
    name: 'Ridge',
    lengthMiles: ((await (await waymark.fetch(`/v2/routes/${routeID}`)).json()) as { length: number }).length,
  })
})

void test('C36: private and link routes are in no tile, and a route that becomes private is gone from the next one', async () => {
  const at = (lat: number): Point[] => [
    [lat, 20],
    [lat + 0.01, 20.01],
    [lat + 0.02, 20],
  ]
  const closed = await addRoute(waymark, ana, { name: 'Closed', visibility: 'private', gpx: gpxOf([at(10)]) })
  await addRoute(waymark, ana, { name: 'Linked', visibility: 'link', gpx: gpxOf([at(10)]) })
  for (const zoom of zooms)
    for (const [lat, lon] of at(10).slice(0, 2)) {
      const here = await layerIn('routes', addressAt(lat, lon, zoom))
      const names = new Set(here.map(({ properties }) => properties['name']))
      assert.ok(!names.has('Closed') && !names.has('Linked'), `${zoom}`)
    }
  const address = addressAt(10, 20, 12)
  await changeRoute(waymark, ana, { id: closed.routeID, visibility: 'public' })
  // What others see is derived behind the answer; asking for the route waits for it.
  assert.equal((await waymark.fetch(`/v2/routes/${closed.routeID}`)).status, 200)
  assert.deepEqual(
    (await layerIn('routes', address)).map(({ id }) => id),
    [closed.routeID],
  )
  for (const visibility of ['link', 'private']) {
    await changeRoute(waymark, ana, { id: closed.routeID, visibility: 'public' })
    assert.equal((await waymark.fetch(`/v2/routes/${closed.routeID}`)).status, 200)
    await changeRoute(waymark, ana, { id: closed.routeID, visibility })
    assert.deepEqual(await layerIn('routes', address), [], visibility)
  }
})

/** Metres on a sphere; near enough for some hundred metres. */
function metresBetween(one: Place, other: Place): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180
  const dx = radians(one.lon - other.lon) * Math.cos(radians((one.lat + other.lat) / 2))
  return Math.hypot(dx, radians(one.lat - other.lat)) * 6_371_000
}

const placeOf = ([x, y]: Dot): Place => ({
  lon: x * 360 - 180,
  lat: (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI,
})

void test('issue 6, C36: no tile at any zoom draws what a privacy zone hides, as soon as the zone exists', async () => {
  const cleo = await waymark.addPerson({ name: 'Cleo' })
  const home = { lat: 47.5, lon: 8.5 }
  const points: Point[] = Array.from({ length: 201 }, (_, at) => [47.45 + at * 0.0005, 8.5 + at * 0.00001])
  const routeID = await addShown(cleo, { name: 'Past home', gpx: gpxOf([points]) })
  const centre = addressAt(home.lat, home.lon, 16)
  assert.equal((await routeIn(centre, routeID)).length, 1)
  const radius = 200
  await addZone(waymark, cleo, { ...home, radius })
  assert.deepEqual(await routeIn(centre, routeID), [], 'nothing of before, derived anew or not')
  assert.equal((await waymark.fetch(`/v2/routes/${routeID}`)).status, 200)
  let seen = 0
  for (const zoom of [7, 9, 11, 12, 13, 14, 15, 16, 18, 20, 22]) {
    const addresses = new Set(points.map(([lat, lon]) => addressAt(lat, lon, zoom)))
    const metresOfDot = (40_075_000 * Math.cos((home.lat * Math.PI) / 180)) / (4096 * 2 ** zoom)
    for (const address of [...addresses].filter((_, at, all) => at % Math.ceil(all.length / 12) === 0)) {
      for (const { lines } of await routeIn(address, routeID))
        for (const dots of lines) {
          seen += dots.length
          const places = dots.map((dot) => placeOf(inSquare(dot, address)))
          // Between two dots, too: nothing is drawn straight through the zone.
          for (const [at, to] of places.entries()) {
            const from = places[at - 1] ?? to
            for (const share of [0, 0.25, 0.5, 0.75, 1]) {
              const place = {
                lat: from.lat + share * (to.lat - from.lat),
                lon: from.lon + share * (to.lon - from.lon),
              }
              const metres = metresBetween(place, home)
              assert.ok(metres > radius - 2 * metresOfDot - 1, `${address}: ${metres} m from home`)
            }
          }
        }
    }
  }
  assert.ok(seen > 30, `the rest of it is drawn, not ${seen} dots`)
  assert.deepEqual(await routeIn(centre, routeID), [])
})

void test('Part D: a line over the antimeridian continues at the other edge, and none crosses the world', async () => {
  const points: Point[] = [
    [-16.8, 179.6],
    [-16.7, 179.9],
    [-16.6, -179.8],
    [-16.5, -179.5],
    [-16.4, 179.95],
  ]
  const routeID = await addShown(ana, { name: 'Date line', gpx: gpxOf([points]) })
  for (const zoom of [2, 3, 5, 8, 10, 13]) {
    const dotsOfDegree = (4096 * 2 ** zoom) / 360
    const addresses = new Set(points.map(([lat, lon]) => addressAt(lat, lon, zoom)))
    for (const address of addresses) {
      const drawn = await routeIn(address, routeID)
      assert.equal(drawn.length, 1, address)
      for (const dots of drawn.flatMap(({ lines }) => lines))
        for (const [at, [x]] of dots.entries())
          assert.ok(Math.abs(x - (dots[at - 1]?.[0] ?? x)) <= 1.2 * dotsOfDegree + 2, `${address}: a leap`)
    }
    // The middle of the world has nothing of it.
    if (zoom > 2) assert.deepEqual(await routeIn(addressAt(-16.6, 0, zoom), routeID), [])
  }
})

void test('Part D: a line around a pole or twice around the world stays in the square', async () => {
  const around: Point[] = Array.from({ length: 73 }, (_, at) => [89.9, ((at * 10 + 180) % 360) - 180])
  const routeID = await addShown(ana, { name: 'Pole', gpx: gpxOf([around]) })
  for (const address of ['0/0/0', '1/0/0', '2/3/0']) {
    const [feature] = await routeIn(address, routeID)
    assert.ok(feature, address)
    for (const [x, y] of feature.lines.flat())
      assert.ok(x >= -64 && x <= 4160 && Math.abs(y) <= 1, `${x} ${y}`)
  }
  assert.deepEqual(await routeIn('1/0/1', routeID), [])
})

void test('Part D: the lines of trails have their names, in one part or several', async () => {
  const { db } = waymark.installation.database
  await waymark.addTrail(4711, 'Rim Trail')
  const setLine = async (geometry: object, west: number, east: number) => {
    const box = { west, south: -33.6, east, north: -33.4 }
    await db
      .updateTable('trail')
      .set((set) => ({ ...box, version: set('version', '+', 1) }))
      .execute()
    await db.deleteFrom('trail_line').execute()
    await db
      .insertInto('trail_line')
      .values({ trail_id: 4711, geometry: JSON.stringify(geometry) })
      .execute()
  }
  const first = [
    [150.3, -33.6],
    [150.4, -33.5],
  ]
  await setLine({ type: 'LineString', coordinates: first }, 150.3, 150.4)
  const [trail, ...others] = await layerIn('trails', addressAt(-33.55, 150.35, 9))
  assert.deepEqual([trail?.id, trail?.properties, others], [4711, { trailID: 4711, name: 'Rim Trail' }, []])
  assert.equal(trail?.lines.length, 1)
  const second = [
    [150.42, -33.5],
    [150.5, -33.4],
  ]
  await setLine({ type: 'MultiLineString', coordinates: [first, second] }, 150.3, 150.5)
  const [changed] = await layerIn('trails', addressAt(-33.55, 150.35, 9))
  assert.equal(changed?.lines.length, 2)
  assert.deepEqual(await layerIn('trails', addressAt(33.5, 150.35, 9)), [])
})
