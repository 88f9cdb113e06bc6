// Reads a GeoJSON or GPX file as the line of a trail. Loaded on demand, because the GPX reader is large.
import { linesOf } from '../../../src/shared/gpx/gpx-document.ts'
import { readGpx } from '../../../src/shared/gpx/gpx.ts'
import { measure } from '../../../src/shared/geo/measures.ts'
import { createPoints, type Line } from '../../../src/shared/geo/points.ts'
import { adminTrails } from '../../strings/admin-things.ts'

/** Metres, if the elevation is known. */
export type Place = readonly [lon: number, lat: number, height?: number]

export interface TrailGeometry {
  readonly type: 'MultiLineString'
  readonly coordinates: readonly (readonly Place[])[]
}

export interface MeasuredLine {
  readonly geometry: TrailGeometry
  readonly points: number
  readonly miles: number
}

const faults = adminTrails.lineFaults

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The server validates the numbers, with a message that names the invalid point. */
function placesOf(list: unknown): Place[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((position: unknown) => {
    const [lon, lat, height] = Array.isArray(position) ? (position as unknown[]) : []
    if (typeof lon !== 'number' || typeof lat !== 'number') return []
    return [typeof height === 'number' ? ([lon, lat, height] as const) : ([lon, lat] as const)]
  })
}

/** The lines of a geometry, a feature or a collection, whatever else it contains. */
export function linesOfGeoJson(value: unknown): Place[][] {
  if (!isRecord(value)) return []
  const { type, coordinates, geometry, features, geometries } = value
  if (type === 'LineString') return [placesOf(coordinates)]
  if (type === 'MultiLineString' && Array.isArray(coordinates)) return coordinates.map(placesOf)
  if (type === 'Feature') return linesOfGeoJson(geometry)
  const parts = [features, geometries].find(Array.isArray)
  return parts === undefined ? [] : (parts as unknown[]).flatMap(linesOfGeoJson)
}

function placesOn({ points, first, end }: Line): Place[] {
  return Array.from({ length: end - first }, (_, near) => {
    const at = first + near
    const height = points.ele(at)
    const place = [points.lon(at), points.lat(at)] as const
    return Number.isNaN(height) ? place : ([...place, height] as const)
  })
}

async function linesOfGpx(text: string): Promise<Place[][]> {
  const reading = await readGpx([text])
  if (!reading.ok) throw new Error(reading.fault.detail)
  return linesOf(reading.value).map(placesOn)
}

/** The same, measured as on the server. */
export async function measured(lines: readonly (readonly Place[])[]): Promise<MeasuredLine> {
  const whole = lines.filter((line) => line.length >= 2)
  const points = createPoints()
  const parts = whole.map((line) => {
    const first = points.count
    for (const [lon, lat] of line) points.add(lat, lon)
    return { points, first, end: points.count }
  })
  const { lengthMiles } = await measure(parts)
  return {
    geometry: { type: 'MultiLineString', coordinates: whole },
    points: points.count,
    miles: lengthMiles,
  }
}

/** @throws Error with a sentence for people. */
export async function readLineFile(name: string, text: string): Promise<MeasuredLine> {
  const start = text.trimStart().charAt(0)
  if (start !== '{' && start !== '<') throw new Error(/\.(geo)?json$/i.test(name) ? faults.json : faults.kind)
  const lines = start === '<' ? await linesOfGpx(text) : linesOfGeoJson(parsed(text))
  const found = await measured(lines)
  if (found.points === 0) throw new Error(faults.empty)
  return found
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(faults.json)
  }
}
