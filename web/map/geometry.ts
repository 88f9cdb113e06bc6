// Converts map content to GeoJSON, and computes bounding boxes; works without a map.
import type {
  Feature,
  FeatureCollection,
  LineString,
  MultiLineString,
  Point,
  Polygon,
  Position,
} from 'geojson'
import type { Bounds, MapCircle, MapLine, MapPoint } from './kinds.ts'

const metresPerDegree = 111_195
const circleCorners = 64
const maxLatitude = 85

export const nothing: FeatureCollection<never> = { type: 'FeatureCollection', features: [] }

const gather = <Shape extends Point | LineString | MultiLineString | Polygon>(
  features: Feature<Shape>[],
): FeatureCollection<Shape> => ({ type: 'FeatureCollection', features })

export const pointFeatures = (points: readonly MapPoint[]): FeatureCollection<Point> =>
  gather(
    points.map(({ lon, lat, id, tone, label = '', count = 1 }) => ({
      type: 'Feature',
      properties: { id, tone, label, count },
      geometry: { type: 'Point', coordinates: [lon, lat] },
    })),
  )

export const lineFeatures = (lines: readonly MapLine[]): FeatureCollection<MultiLineString> =>
  gather(
    lines.map(({ id, tone, coordinates }) => ({
      type: 'Feature',
      properties: { id, tone },
      geometry: {
        type: 'MultiLineString',
        coordinates: coordinates.map((part) => part.map(([x, y]) => [x, y])),
      },
    })),
  )

function ring({ lon, lat, radiusMetres }: MapCircle): Position[] {
  const high = radiusMetres / metresPerDegree
  const wide = high / Math.max(0.01, Math.cos((lat * Math.PI) / 180))
  return Array.from({ length: circleCorners + 1 }, (_, corner) => {
    const angle = ((corner % circleCorners) / circleCorners) * 2 * Math.PI
    return [lon + wide * Math.cos(angle), lat + high * Math.sin(angle)]
  })
}

export const circleFeatures = (circles: readonly MapCircle[]): FeatureCollection<Polygon> =>
  gather(
    circles.map((circle) => ({
      type: 'Feature',
      properties: { id: circle.id, tone: circle.tone ?? 'zone' },
      geometry: { type: 'Polygon', coordinates: [ring(circle)] },
    })),
  )

const steps = [45, 30, 15, 10, 5, 2, 1, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0001]
/** About this many lines cross the map in each direction. */
const linesAcross = 5

/** The spacing of the graticule, in degrees. */
export function gridStep([west, south, east, north]: Bounds): number {
  const span = Math.max(east - west, north - south) / linesAcross
  return steps.find((step) => step <= span) ?? 0.0001
}

const multiples = (from: number, to: number, step: number): number[] => {
  const first = Math.ceil(from / step)
  const count = Math.max(0, Math.floor(to / step) - first + 1)
  return Array.from({ length: count }, (_, at) => (first + at) * step)
}

/** `46.25° N`, `7.1° W`; with as many decimals as the step needs. */
export function degreesText(degrees: number, step: number, [plus, minus]: readonly [string, string]): string {
  const decimals = Math.max(0, Math.ceil(-Math.log10(step)))
  const wrapped = ((((degrees + 180) % 360) + 360) % 360) - 180
  const figure = plus === 'N' ? degrees : wrapped
  const side = figure % 180 === 0 ? '' : ` ${figure > 0 ? plus : minus}`
  return `${Number(Math.abs(figure).toFixed(decimals + 1))}°${side}`
}

/** @param bounds with east greater than west, beyond 180 if the map shows more than one world. */
export function graticule(bounds: Bounds): FeatureCollection<LineString> {
  const step = gridStep(bounds)
  const [west, , east] = bounds
  const south = Math.max(-maxLatitude, bounds[1])
  const north = Math.min(maxLatitude, bounds[3])
  const line = (coordinates: Position[], label: string): Feature<LineString> => ({
    type: 'Feature',
    properties: { label },
    geometry: { type: 'LineString', coordinates },
  })
  const upward = multiples(west, east, step).map((lon) =>
    line(
      [
        [lon, south],
        [lon, north],
      ],
      degreesText(lon, step, ['E', 'W']),
    ),
  )
  const across = multiples(south, north, step).map((lat) =>
    line(
      [
        [west, lat],
        [east, lat],
      ],
      degreesText(lat, step, ['N', 'S']),
    ),
  )
  return gather([...upward, ...across])
}

/** For functions that require east to be greater than west. */
export const unrolled = ([west, south, east, north]: Bounds): Bounds => [
  west,
  south,
  east < west ? east + 360 : east,
  north,
]

const wrapLongitude = (lon: number): number => ((((lon + 180) % 360) + 360) % 360) - 180

/** In the form of the API: within ±180, and the whole world if it is wider. */
export function rolled([west, south, east, north]: Bounds): Bounds {
  const low = Math.max(-90, south)
  const high = Math.min(90, north)
  if (east - west >= 360) return [-180, low, 180, high]
  return [wrapLongitude(west), low, wrapLongitude(east), high]
}

/** The smallest box around the positions; undefined without any. It crosses the antimeridian if that is shorter. */
export function boundsOf(positions: readonly (readonly [number, number])[]): Bounds | undefined {
  const [first, ...others] = positions.map(([lon]) => lon).toSorted((one, other) => one - other)
  if (first === undefined) return undefined
  const longitudes = [first, ...others]
  const latitudes = positions.map(([, lat]) => lat)
  const low = latitudes.reduce((min, lat) => Math.min(min, lat), 90)
  const high = latitudes.reduce((max, lat) => Math.max(max, lat), -90)
  let west = first
  let east = longitudes.at(-1) ?? first
  let widest = west + 360 - east
  for (const [at, lon] of others.entries()) {
    const before = longitudes[at] ?? lon
    if (lon - before <= widest) continue
    widest = lon - before
    west = lon
    east = before
  }
  return [west, low, east, high]
}

/** A box that a map can be moved to: one of a single place is widened. */
export function roomy(bounds: Bounds, minDegrees = 0.004): Bounds {
  const [west, south, east, north] = unrolled(bounds)
  const wide = Math.max(0, minDegrees - (east - west)) / 2
  const high = Math.max(0, minDegrees - (north - south)) / 2
  return [west - wide, Math.max(-90, south - high), east + wide, Math.min(90, north + high)]
}
