// The line of a trail: which GeoJSON is accepted, its stored form, and its measurements.
import { createYielder, yieldTurn } from '../shared/yielding.ts'
import { measure } from '../shared/geo/measures.ts'
import { createPoints, type Line } from '../shared/geo/points.ts'
import type { TrailLine } from './trail-table.ts'

/** Length of the stored text. */
const maxBytes = 1024 ** 2
const maxPoints = 50_000
/** Decimals of a degree that are stored: a centimetre. */
const decimals = 1e7
/** Decimals of a metre of elevation: no survey of a trail is more accurate. */
const heightDecimals = 10
/** Beyond any elevation on earth; such values mean unknown. */
const maxHeight = 100_000

type Place = [lon: number, lat: number] | [lon: number, lat: number, height: number]

/** An error message about the geometry, or the result. */
export type LineReading =
  | { readonly ok: true; readonly line: TrailLine }
  | { readonly ok: false; readonly detail: string }

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const fault = (detail: string) => ({ ok: false, detail: `geometry ${detail}` }) as const

const rounded = (degrees: number): number => Math.round(degrees * decimals) / decimals

/** Longitude and latitude, and the elevation if there is one; further numbers are dropped. */
function placeOf(position: unknown): Place | undefined {
  if (!Array.isArray(position) || position.length < 2) return undefined
  const [lon, lat, height] = position as unknown[]
  const isPlace =
    typeof lon === 'number' && typeof lat === 'number' && Math.abs(lon) <= 180 && Math.abs(lat) <= 90
  if (!isPlace) return undefined
  const isHigh = typeof height === 'number' && Math.abs(height) <= maxHeight
  return isHigh
    ? [rounded(lon), rounded(lat), Math.round(height * heightDecimals) / heightDecimals]
    : [rounded(lon), rounded(lat)]
}

/** About 2 ms of work. */
const maxAtOnce = 8_000

async function placesOf(list: readonly unknown[]): Promise<(Place | undefined)[]> {
  const places: (Place | undefined)[] = []
  for (const [index, position] of list.entries()) {
    if (index % maxAtOnce === maxAtOnce - 1) await yieldTurn()
    places.push(placeOf(position))
  }
  return places
}

/** The lists of positions in a geometry, or undefined if it is not a line. */
function listsIn(geometry: unknown): readonly unknown[] | undefined {
  if (!isObject(geometry)) return undefined
  const { type, coordinates } = geometry
  if (type === 'LineString') return [coordinates]
  return type === 'MultiLineString' && Array.isArray(coordinates) ? coordinates : undefined
}

function measuredLines(lines: readonly (readonly Place[])[]): Line[] {
  const points = createPoints()
  return lines.map((line) => {
    const first = points.count
    for (const [lon, lat, height] of line) {
      points.add(lat, lon)
      if (height !== undefined) points.setEle(height)
    }
    return { points, first, end: points.count }
  })
}

interface Range {
  readonly highest: number
  readonly lowest: number
}

/** Undefined without elevations. */
function heightRange(lines: readonly (readonly Place[])[]): Range | undefined {
  let [highest, lowest] = [-Infinity, Infinity]
  for (const line of lines)
    for (const [, , height] of line) {
      if (height === undefined) continue
      if (height > highest) highest = height
      if (height < lowest) lowest = height
    }
  return highest < lowest ? undefined : { highest, lowest }
}

/** Rounded like the elevations that they are sums of. */
const inHeights = (metres: number | undefined): number | null =>
  metres === undefined ? null : Math.round(metres * heightDecimals) / heightDecimals

const tooLong = (lines: readonly (readonly Place[])[]) => {
  const flat = lines.map((line) => line.map(([lon, lat]) => [lon, lat]))
  const isOfHeights = JSON.stringify(flat).length <= maxBytes
  const limit = `may be at most ${maxBytes.toLocaleString('en')} bytes`
  return fault(isOfHeights ? `${limit}, which it exceeds with its elevations.` : `${limit}.`)
}

/**
 * Parses the parts of one line, each a LineString or MultiLineString on WGS84 (RFC 7946). Everything except the
 * coordinates is dropped; they are stored to a centimetre, and elevations to a decimetre.
 */
export async function readTrailLine(geometries: readonly unknown[]): Promise<LineReading> {
  const lines: Place[][] = []
  let count = 0
  const yielder = createYielder()
  for (const geometry of geometries) {
    const lists = listsIn(geometry)
    if (!lists) return fault('must be a GeoJSON LineString or MultiLineString.')
    for (const list of lists) {
      const nth = `line ${lines.length + 1}`
      if (!Array.isArray(list) || list.length < 2) return fault(`must have at least two points in ${nth}.`)
      count += list.length
      if (count > maxPoints) return fault(`may have at most ${maxPoints.toLocaleString('en')} points.`)
      const places = await placesOf(list)
      const wrong = places.indexOf(undefined)
      if (wrong >= 0)
        return fault(
          `must have a longitude within ±180 and a latitude within ±90 in point ${wrong + 1} of ${nth}.`,
        )
      lines.push(places as Place[])
      await yielder.yieldIfDue()
    }
  }
  const [line] = lines
  if (!line) return fault('must contain a line.')
  if (count > maxAtOnce) await yieldTurn()
  const text = JSON.stringify(
    lines.length === 1
      ? { type: 'LineString', coordinates: line }
      : { type: 'MultiLineString', coordinates: lines },
  )
  if (text.length > maxBytes) return tooLong(lines)
  if (count > maxAtOnce) await yieldTurn()
  const { box, lengthMiles, climbMetres, descentMetres } = await measure(measuredLines(lines))
  if (!box) return fault('must contain a line.')
  const range = heightRange(lines)
  const heights = range && {
    ...range,
    ascent: inHeights(climbMetres),
    descent: inHeights(descentMetres),
  }
  return { ok: true, line: { text, box, miles: lengthMiles, heights } }
}
