// Converts the lines of a route to the paths of a small drawing, 100 by 70, in map projection.
import type { RouteGeoJson } from '../../../client/client.ts'

const [width, height, margin] = [100, 70, 7] as const
/** Smaller steps are not visible. */
const minStep = 0.6

type Line = readonly (readonly number[])[]

/** From the first feature, which is the route. */
type Geometry =
  | { readonly type: 'LineString'; readonly coordinates: Line }
  | { readonly type: 'MultiLineString'; readonly coordinates: readonly Line[] }

function linesOf({ features }: RouteGeoJson): readonly Line[] {
  const geometry = features[0]?.geometry as Geometry | null | undefined
  if (!geometry) return []
  if (geometry.type === 'LineString') return [geometry.coordinates]
  return geometry.coordinates
}

const mercator = (lat: number): number => {
  const sine = Math.sin((Math.min(85, Math.max(-85, lat)) * Math.PI) / 180)
  return -Math.log((1 + sine) / (1 - sine)) / 2
}

/** Each line in plane coordinates; across the antimeridian it continues beyond 180. */
function placesOf(lines: readonly Line[]): (readonly [number, number])[][] {
  let before: number | undefined
  return lines.map((line) =>
    line.map(([lon = 0, lat = 0]) => {
      before = before === undefined ? lon : lon + 360 * Math.round((before - lon) / 360)
      return [(before * Math.PI) / 180, mercator(lat)] as const
    }),
  )
}

export const sketchOf = (geojson: RouteGeoJson): readonly string[] => sketchOfLines(linesOf(geojson))

/** @param given lines of longitudes and latitudes. */
export function sketchOfLines(given: readonly Line[]): readonly string[] {
  const lines = placesOf(given)
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const line of lines) {
    for (const [x, y] of line) {
      ;[west, east] = [Math.min(west, x), Math.max(east, x)]
      ;[north, south] = [Math.min(north, y), Math.max(south, y)]
    }
  }
  const [wide, high] = [width - 2 * margin, height - 2 * margin]
  const scale = Math.min(wide / Math.max(east - west, 1e-9), high / Math.max(south - north, 1e-9))
  const left = (width - (east - west) * scale) / 2
  const top = (height - (south - north) * scale) / 2
  return lines.flatMap((line) => {
    const path: string[] = []
    let [lastX, lastY] = [NaN, NaN]
    for (const [at, [x, y]] of line.entries()) {
      const [px, py] = [left + (x - west) * scale, top + (y - north) * scale]
      const isNear = Math.hypot(px - lastX, py - lastY) < minStep
      if (isNear && at < line.length - 1) continue
      path.push(`${path.length === 0 ? 'M' : 'L'}${px.toFixed(1)} ${py.toFixed(1)}`)
      ;[lastX, lastY] = [px, py]
    }
    return path.length === 0 ? [] : [path.join('')]
  })
}
