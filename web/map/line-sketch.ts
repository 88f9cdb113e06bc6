// A line with places as a small drawing in map projection: on the server, on paper, and until the map has loaded.
import type { Position } from './kinds.ts'

export interface SketchFrame {
  readonly width: number
  readonly height: number
  readonly margin: number
}

export interface Sketch {
  readonly paths: readonly string[]
  readonly dots: readonly (readonly [x: number, y: number])[]
}

/** Smaller steps are not visible. */
const minStep = 1.5

const mercator = (lat: number): number => {
  const sine = Math.sin((Math.min(85, Math.max(-85, lat)) * Math.PI) / 180)
  return -Math.log((1 + sine) / (1 - sine)) / 2
}

/** Continues beyond 180 across the antimeridian. */
const placeNear = ([lon, lat]: Position, nearLon: number): Position => [
  ((lon + 360 * Math.round((nearLon - lon) / 360)) * Math.PI) / 180,
  mercator(lat),
]

export function sketchOf(
  parts: readonly (readonly Position[])[],
  points: readonly Position[],
  { width, height, margin }: SketchFrame,
): Sketch {
  const [nearLon = 0] = parts.find((part) => part.length > 0)?.[0] ?? points[0] ?? []
  const lines = parts.map((part) => part.map((position) => placeNear(position, nearLon)))
  const places = points.map((position) => placeNear(position, nearLon))
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [x, y] of [...lines.flat(), ...places]) {
    ;[west, east] = [Math.min(west, x), Math.max(east, x)]
    ;[north, south] = [Math.min(north, y), Math.max(south, y)]
  }
  if (west > east) return { paths: [], dots: [] }
  const scale = Math.min(
    (width - 2 * margin) / Math.max(east - west, 1e-6),
    (height - 2 * margin) / Math.max(south - north, 1e-6),
  )
  const left = (width - (east - west) * scale) / 2
  const top = (height - (south - north) * scale) / 2
  const drawn = ([x, y]: Position): readonly [number, number] => [
    left + (x - west) * scale,
    top + (y - north) * scale,
  ]
  const figure = (value: number): string => value.toFixed(1)
  const paths = lines.flatMap((line) => {
    const steps: string[] = []
    let [lastX, lastY] = [NaN, NaN]
    for (const [at, place] of line.entries()) {
      const [x, y] = drawn(place)
      if (Math.hypot(x - lastX, y - lastY) < minStep && at < line.length - 1) continue
      steps.push(`${figure(x)} ${figure(y)}`)
      ;[lastX, lastY] = [x, y]
    }
    return steps.length === 0 ? [] : [`M${steps.join('L')}`]
  })
  return { paths, dots: places.map(drawn) }
}
