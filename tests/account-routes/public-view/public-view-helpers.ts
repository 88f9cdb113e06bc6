// Shared by the tests of privacy zones on v2: everything that others get of a route, with independently computed figures.
import assert from 'node:assert/strict'
import { measureAtOnce } from '../../../src/shared/geo/measures.ts'
import { lineOf } from '../../../src/shared/geo/points.ts'
import type { Waymark } from '../../helpers/waymark.ts'
import { betraying, pathOf, segmentsIn, type RouteDocument } from '../v2-helpers.ts'
import { metresBetween, type Place } from '../zones/zone-cases.ts'

export interface GeoJson {
  readonly bbox?: readonly number[]
  readonly features: readonly {
    readonly properties: Record<string, unknown>
    readonly geometry: { readonly type: string; readonly coordinates: unknown } | null
  }[]
}

export interface Shown {
  readonly document: RouteDocument
  readonly gpx: string
  readonly geoJson: GeoJson
  /** All formats together. */
  readonly text: string
}

/** All formats and the list item, as others get them, compared with each other. */
export async function shownIn(
  waymark: Waymark,
  { routeID, urls }: RouteDocument,
  token?: string,
): Promise<Shown> {
  const get = async (path: string) => {
    const answer = await waymark.fetch(path, token === undefined ? {} : { token })
    assert.equal(answer.status, 200, path)
    return answer.text()
  }
  const { search } = new URL(urls.gpx)
  const text = await get(`/v2/routes/${routeID}${search}`)
  const document = JSON.parse(text) as RouteDocument
  const gpx = await get(pathOf(document.urls.gpx))
  const geoJson = await get(pathOf(document.urls.geojson))
  assert.equal(document.gpx, gpx)
  return { document, gpx, geoJson: JSON.parse(geoJson) as GeoJson, text: `${text}\n${gpx}\n${geoJson}` }
}

export const fieldsForOthers = [
  'routeID',
  'acctID',
  'displayName',
  'name',
  'description',
  'length',
  'measuredLengthMiles',
  'climb',
  'descent',
  'bbox',
  'pointCount',
  'start',
  'end',
  'duplicates',
  'visibility',
  'createdAt',
  'urls',
  'gpx',
]

/** Recomputes every figure from the exported points. */
export function assertOfExportedPoints(
  { document, gpx, geoJson, text }: Shown,
  { isLengthStated = false } = {},
): void {
  const segments = segmentsIn(gpx)
  assert.equal(gpx.split('<trkpt').length - 1, segments.flat().length)
  const lines = segments.map((points) =>
    lineOf(points.map(([lat, lon, ele]) => (ele === undefined ? { lat, lon } : { lat, lon, ele }))),
  )
  const { lengthMiles, climbMetres, descentMetres, box, pointCount, start, end } = measureAtOnce(lines)
  const tenths = (metres: number | undefined) => (metres === undefined ? null : Number(metres.toFixed(1)))
  const placeOf = (place: Place | undefined) =>
    place === undefined ? null : { lat: place.lat, lon: place.lon }
  const edges = box === undefined ? null : [box.west, box.south, box.east, box.north]
  assert.deepEqual(Object.keys(document).toSorted(), fieldsForOthers.toSorted())
  assert.equal(document.pointCount, pointCount)
  assert.deepEqual(document.bbox, edges)
  assert.deepEqual([document.start, document.end], [placeOf(start), placeOf(end)])
  assert.deepEqual([document.climb, document.descent], [tenths(climbMetres), tenths(descentMetres)])
  assert.equal(document.measuredLengthMiles, pointCount === 0 ? null : Number(lengthMiles.toFixed(7)))
  if (!isLengthStated) assert.equal(document.length, document.measuredLengthMiles ?? 0)

  const { routeID, displayName, name, description, length, climb, descent, createdAt } = document
  const [feature, ...others] = geoJson.features
  assert.deepEqual(others, [])
  assert.deepEqual(feature?.properties, {
    routeID,
    displayName,
    name,
    description,
    length,
    climb,
    descent,
    createdAt,
  })
  assert.deepEqual(geoJson.bbox ?? null, edges)
  const drawn = segments
    .filter((points) => points.length > 1)
    .map((points) => points.map(([lat, lon, ele]) => (ele === undefined ? [lon, lat] : [lon, lat, ele])))
  const { type, coordinates } = feature?.geometry ?? { type: 'none', coordinates: [] }
  assert.deepEqual(type === 'LineString' ? [coordinates] : coordinates, drawn)
  assert.doesNotMatch(
    text,
    new RegExp(`${betraying}|<time|<wpt|extensions|<cmt|<link|<author|2026-03-03|\\bhr\\b`),
  )
}

export function assertNothingNear(shown: Shown, centre: Place, metres: number): void {
  for (const [lat, lon] of segmentsIn(shown.gpx).flat()) {
    assert.ok(metresBetween(centre, { lat, lon }) > metres, `${lat}, ${lon}`)
  }
}
