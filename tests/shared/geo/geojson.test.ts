// GeoJSON that we write (RFC 7946): its features and boxes, and lines cut at the antimeridian.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { writeGeoJson } from '../../../src/shared/geo/geojson.ts'
import type { WrittenGeoJson } from '../../../src/shared/geo/geojson.ts'
import { linesOf } from '../../../src/shared/gpx/gpx-document.ts'
import { measureAtOnce } from '../../../src/shared/geo/measures.ts'
import { createPoints } from '../../../src/shared/geo/points.ts'
import type { Line } from '../../../src/shared/geo/points.ts'
import { gpxOf, read } from '../gpx/gpx-helpers.ts'

const written = (document: Partial<WrittenGeoJson>): string =>
  [...writeGeoJson({ properties: {}, lines: [], box: undefined, ...document })].join('')
/** [lon, lat] or [lon, lat, ele], as GeoJSON has them. */
type Coordinates = readonly number[]
function line(...all: readonly Coordinates[]): Line {
  const points = createPoints()
  for (const [lon = NaN, lat = NaN, ele = NaN] of all) {
    points.add(lat, lon)
    points.setEle(ele)
  }
  return { points, first: 0, end: all.length }
}
interface Geometry {
  readonly type: string
  readonly coordinates: unknown
}

function geometryOf(...lines: Line[]): Geometry | null {
  const text = [...writeGeoJson({ properties: {}, lines, box: undefined })].join('')
  const { features } = JSON.parse(text) as { features: readonly { geometry: Geometry | null }[] }
  return features[0]?.geometry ?? null
}

/** As those of a MultiLineString. */
function coordinatesOf(...lines: Line[]): Coordinates[][] {
  const geometry = geometryOf(...lines)
  if (geometry === null) return []
  const { type, coordinates } = geometry
  return (type === 'LineString' ? [coordinates] : coordinates) as Coordinates[][]
}

void test('a complete collection: the route, then its waypoints', () => {
  const gpx = read(
    gpxOf(
      '<wpt lat="1" lon="2"><ele>800</ele><name>Hut "A" / &amp;</name></wpt><wpt lat="-1.50" lon="180"/>' +
        '<rte><rtept lat="3" lon="4"/><rtept lat="3.5" lon="4.25"><ele>-0.5</ele></rtept></rte><rte/>' +
        '<trk><trkseg><trkpt lat="9" lon="9"/></trkseg><trkseg><trkpt lat="5" lon="6"/><trkpt lat="5" lon="7"/></trkseg></trk>',
    ),
  )
  const lines = linesOf(gpx)
  const { box } = measureAtOnce(lines)
  const text = written({
    properties: { routeID: 7, name: 'Rim', climb: null },
    lines,
    waypoints: gpx.waypoints,
    box,
  })
  assert.equal(
    text,
    `{"type":"FeatureCollection","bbox":[2,-1.5,180,9],"features":[{"type":"Feature","properties":{"routeID":7,"name":"Rim","climb":null},"geometry":{"type":"MultiLineString","coordinates":[[[4,3],[4.25,3.5,-0.5]],[[6,5],[7,5]]]}},
{"type":"Feature","properties":{"name":"Hut \\"A\\" / &"},"geometry":{"type":"Point","coordinates":[2,1,800]}},
{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[180,-1.5]}}]}
`,
  )
})

void test('an empty document is a collection too: a route without a geometry, and no box', () => {
  const empty =
    '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":null}]}\n'
  assert.equal(written({}), empty)
  assert.equal(written({ lines: [line(), line([1, 2])] }), empty)
  assert.deepEqual(coordinatesOf(line([1, 2])), [])
})

void test('a single line is a LineString; lines of one point are left out', () => {
  const [one, other] = [line([1, 2], [3, 4, 5]), line([1e-7, -0], [-1e-7, 90])]
  assert.deepEqual(geometryOf(line([9, 9]), one, line()), {
    type: 'LineString',
    coordinates: [
      [1, 2],
      [3, 4, 5],
    ],
  })
  assert.deepEqual(geometryOf(one, line([9, 9]), other), {
    type: 'MultiLineString',
    coordinates: coordinatesOf(one, other),
  })
  assert.deepEqual(coordinatesOf(one, other)[1], [
    [1e-7, 0],
    [-1e-7, 90],
  ])
})

/** The positions of a line, and of the parts that are made of it. */
const cuts: readonly (readonly [name: string, from: string, to: string])[] = [
  ['not at Greenwich', '[-170,0],[10,0]', '[[-170,0],[10,0]]'],
  ['eastward', '[179,10],[-179,20]', '[[179,10],[180,15]],[[-180,15],[-179,20]]'],
  ['westward', '[-177,-4,100],[179,0,200]', '[[-177,-4,100],[-180,-1,175]],[[180,-1,175],[179,0,200]]'],
  ['one height', '[179,1,5],[-179,1]', '[[179,1,5],[180,1]],[[-180,1],[-179,1]]'],
  ['rounded', '[179,0],[-178,1]', '[[179,0],[180,0.333333333]],[[-180,0.333333333],[-178,1]]'],
  ['through a point on it', '[179,0],[180,1,7],[-179,2]', '[[179,0],[180,1,7]],[[-180,1,7],[-179,2]]'],
  ['the same from the other side', '[-179,0],[180,1],[179,2]', '[[-179,0],[-180,1]],[[180,1],[179,2]]'],
  ['a touch only', '[-179,0],[180,1],[-179,2]', '[[-179,0],[-180,1],[-179,2]]'],
  ['starting on it', '[180,0],[-180,1],[-179,2]', '[[-180,0],[-180,1],[-179,2]]'],
  ['ending on it', '[-179,0],[180,1]', '[[-179,0],[-180,1]]'],
  ['nothing else', '[180,0],[-180,1]', '[[180,0],[180,1]]'],
  [
    'there and back',
    '[179,0],[-179,0],[179,0]',
    '[[179,0],[180,0]],[[-180,0],[-179,0],[-180,0]],[[180,0],[179,0]]',
  ],
]

for (const [name, from, to] of cuts) {
  void test(`RFC 7946 3.1.9: a line is cut at the antimeridian: ${name}`, () => {
    const whole = line(...(JSON.parse(`[${from}]`) as Coordinates[]))
    const parts = JSON.parse(`[${to}]`) as Coordinates[][]
    assert.deepEqual(coordinatesOf(whole), parts)
    const isOne = parts.length === 1
    const type = isOne ? 'LineString' : 'MultiLineString'
    assert.deepEqual(geometryOf(whole), { type, coordinates: isOne ? parts[0] : parts })
  })
}

/** The box of the lines, the waypoints, and the box of both. */
const boxes: readonly (readonly [name: string, box: string, waypoints: string, wide: string])[] = [
  ['none', '[1,2,3,4]', '', '[1,2,3,4]'],
  ['inside', '[1,2,3,4]', '[2,3]', '[1,2,3,4]'],
  ['around', '[1,2,3,4]', '[0,9],[7,-9]', '[0,-9,7,9]'],
  ['over the antimeridian', '[170,0,175,1]', '[-178,0]', '[170,0,-178,1]'],
  ['over it westward', '[-175,0,-170,1]', '[178,0]', '[178,0,-170,1]'],
  ['inside one across it', '[170,0,-170,1]', '[180,0],[-180,1],[171,0],[-171,0]', '[170,0,-170,1]'],
  ['beside one across it', '[170,0,-170,1]', '[-160,0],[160,0]', '[160,0,-160,1]'],
  ['waypoints alone', 'null', '[5,5],[-5,7]', '[-5,5,5,7]'],
]

for (const [name, given, waypoints, wide] of boxes) {
  void test(`the box of the collection holds its waypoints: ${name}`, () => {
    const [west = 0, south = 0, east = 0, north = 0] = (JSON.parse(given) ?? []) as number[]
    const text = written({
      waypoints: { line: line(...(JSON.parse(`[${waypoints}]`) as Coordinates[])), names: new Map() },
      box: given === 'null' ? undefined : { west, south, east, north },
    })
    assert.deepEqual((JSON.parse(text) as { bbox: unknown }).bbox, JSON.parse(wide))
  })
}

void test('a long line is written in chunks', () => {
  const points = createPoints()
  for (let index = 0; index < 50_000; index += 1) points.add(index / 1000, 180)
  const lines = [{ points, first: 0, end: 50_000 }]
  const chunks = [...writeGeoJson({ properties: {}, lines, box: undefined })]
  assert.ok(chunks.length > 10 && chunks.every(({ length }) => length < 33_000))
  const { features } = JSON.parse(chunks.join('')) as { features: { geometry: { coordinates: unknown[] } }[] }
  assert.equal(features[0]?.geometry.coordinates.length, 50_000)
})

void test('work that writes nothing yields too', () => {
  const points = createPoints()
  for (let index = 0; index < 50_000; index += 1) points.add(0, 180)
  const long = { points, first: 0, end: 50_000 }
  const few = Array.from({ length: 50_000 }, () => ({ points, first: 0, end: 1 }))
  const turnsOf = (document: Partial<WrittenGeoJson>): number =>
    [...writeGeoJson({ properties: {}, lines: [], box: undefined, ...document })].filter(
      (chunk) => chunk.length < 200,
    ).length
  assert.equal(turnsOf({}), 1)
  assert.equal(turnsOf({ lines: few }), 7, 'lines of one point')
  assert.equal(turnsOf({ lines: [line([1, 1], [2, 2]), ...few, line([3, 3], [4, 4])] }), 10, 'twice')
  // Whether there are times, where the line starts, whether it is cut, and once more where it starts.
  assert.equal(turnsOf({ lines: [long] }), 12, 'points on the antimeridian')
  assert.equal(turnsOf({ waypoints: { line: long, names: new Map() } }), 3, 'a box around waypoints')
})

const lons = fc.oneof(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.constantFrom(180, -180, 179, -179, 0, -90, 90),
)
const coordinates = fc.tuple(lons, fc.double({ min: -90, max: 90, noNaN: true }))

void test('RFC 7946 3.1.9: no part of a line crosses the antimeridian, and together they follow the line', () => {
  fc.assert(
    fc.property(fc.array(coordinates, { minLength: 2, maxLength: 12 }), (all) => {
      const parts = coordinatesOf(line(...all))
      const steps: number[] = []
      const visited: Coordinates[] = []
      for (const [index, part] of parts.entries()) {
        assert.ok(part.length >= 2, 'a part has two positions')
        for (const [place, [lon = NaN, lat = NaN]] of part.entries()) {
          assert.ok(Math.abs(lon) <= 180 && Math.abs(lat) <= 90)
          const [before] = part[place - 1] ?? []
          assert.ok(before === undefined || Math.abs(lon - before) <= 180)
          if (before !== undefined) steps.push(lon - before)
          visited.push([lon, lat])
        }
        const [next] = parts[index + 1] ?? []
        const [lastLon = NaN, lastLat] = part.at(-1) ?? []
        if (next !== undefined) assert.deepEqual([Math.abs(lastLon), -lastLon, lastLat], [180, ...next])
      }
      // The way around, counted in degrees, is that of the line itself.
      const turned = steps.reduce((sum, step) => sum + step, 0)
      const expected = all.slice(1).reduce((sum, [lon], index) => {
        const step = lon - (all[index]?.[0] ?? 0)
        return sum + step - 360 * (Math.abs(step) > 180 ? Math.sign(step) : 0)
      }, 0)
      const isHalfTurn = all.some(([lon], index) => Math.abs(lon - (all[index - 1]?.[0] ?? lon)) === 180)
      assert.ok(isHalfTurn || Math.abs(turned - expected) < 1e-6, `${turned}, not ${expected}`)
      // Each of its points is there, in order.
      let place = 0
      for (const [lon, lat] of all) {
        const isIt = ([x, y]: Coordinates): boolean =>
          y === lat + 0 && (x === lon + 0 || Math.abs(lon) + Math.abs(x ?? 0) === 360)
        while (place < visited.length && !isIt(visited[place] ?? [])) place += 1
        assert.ok(place < visited.length, `${lon},${lat} is missing`)
        place += 1
      }
    }),
    { numRuns: 3_000 },
  )
})
