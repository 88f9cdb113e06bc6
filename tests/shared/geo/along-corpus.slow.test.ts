// Places along the lines of real trails, as agencies drew them: within a metre of an independent search (contract C53).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { corpusAbsent, corpusFile } from '../../helpers/corpus.ts'
import { boxOfShapes, partsOfShapes, stretched, unzipped } from '../../helpers/shapefile.ts'
import { compare, type Place } from './projection.ts'

type Box = readonly [number, number, number, number]

interface Expected {
  readonly layers?: Record<string, { readonly extent?: Box }>
}

type Trail = readonly (readonly Place[])[]

interface Geometry {
  readonly type: string
  readonly coordinates: unknown
}

function trailsOfGeojson(text: string): Trail[] {
  const { features } = JSON.parse(text) as { features: { geometry: Geometry }[] }
  return features.flatMap(({ geometry: { type, coordinates } }) => {
    if (!type.endsWith('LineString')) return []
    const lists = (type === 'LineString' ? [coordinates] : coordinates) as [number, number][][]
    return [lists.map((list) => list.map(([lon, lat]) => ({ lat, lon })))]
  })
}

function trailsOf(zip: Buffer, extentOf: (layer: string) => Box | undefined): Trail[] {
  return [...unzipped(zip)].flatMap(([name, bytes]) => {
    if (name.endsWith('.geojson')) return trailsOfGeojson(bytes.toString('utf8'))
    if (!name.endsWith('.shp')) return []
    const extent = extentOf(name)
    assert.ok(extent, name)
    const box = boxOfShapes(bytes)
    return [...partsOfShapes(bytes)].map((parts) =>
      parts.map((part) => part.map((point) => stretched(point, box, extent))),
    )
  })
}

/** Photos beside the way, up to 100 m off: the same in every run. */
function photosOf(trail: Trail, count: number): Place[] {
  const places = trail.flat()
  return Array.from({ length: count }, (_, index) => {
    const place = places[Math.floor(((index + 0.5) / count) * places.length)] ?? { lat: 0, lon: 0 }
    const [bearing, metres] = [index * 2.399, ((index * 37) % 100) + 0.1]
    const north = (Math.cos(bearing) * metres) / 111_320
    const east = (Math.sin(bearing) * metres) / (111_320 * Math.cos((place.lat / 180) * Math.PI))
    return { lat: place.lat + north, lon: place.lon + east }
  })
}

void test('each of the real trail files is measured correctly', { skip: corpusAbsent }, async (t) => {
  const expected = JSON.parse((await corpusFile('opentrails', 'expected.json')).toString('utf8')) as Record<
    string,
    Expected
  >
  const layers = new Map(Object.values(expected).flatMap(({ layers: own = {} }) => Object.entries(own)))
  const extentOf = (name: string): Box | undefined =>
    [...layers].find(([layer]) => name === layer || name.endsWith(`/${layer}`))?.[1].extent
  const names = Object.keys(expected).filter((name) => name.endsWith('.zip'))
  assert.equal(names.length, 14)
  let withLines = 0
  for (const name of names) {
    const trails = trailsOf(await corpusFile('opentrails', name), extentOf)
    const photos = trails.length > 100 ? 4 : 40
    let worst = 0
    for (const trail of trails) worst = Math.max(worst, compare(trail, photosOf(trail, photos)))
    if (trails.length > 0) withLines += 1
    t.diagnostic(`${name}: ${trails.length} lines, ${(worst * 1000).toFixed(3)} mm off at most`)
  }
  assert.ok(withLines >= 11, `${withLines} files with lines`)
})
