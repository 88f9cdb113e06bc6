// A thumbnail of a route: a few points of its public lines.
import { countOf, type Line } from '../../shared/geo/points.ts'

/** [longitude, latitude] of each point. */
export type Sketch = readonly (readonly (readonly [number, number])[])[]

export const maxSketchPoints = 64
/** Longer lines are thinned out first: at this size the difference is not visible. */
const maxPointsRead = 4_000
const maxLines = 16
/** About a metre. */
const stepsOfDegree = 100_000

interface Place {
  readonly x: number
  readonly y: number
}

/** A line between two retained points, and the point between them that is farthest from it. */
interface Stretch {
  readonly places: readonly Place[]
  readonly kept: Set<number>
  readonly from: number
  readonly to: number
  readonly farthest: number
  readonly distance: number
}

const rounded = (degrees: number): number => Math.round(degrees * stepsOfDegree) / stepsOfDegree

/** Always retains both ends. */
function placesOf({ points, first, end }: Line): Place[] {
  const step = Math.max(1, Math.ceil((end - first) / maxPointsRead))
  const indexes: number[] = []
  for (let index = first; index < end - 1; index += step) indexes.push(index)
  indexes.push(end - 1)
  const narrow = Math.cos((points.lat(first) * Math.PI) / 180)
  const origin = points.lon(first)
  return indexes.map((index) => {
    const lon = points.lon(index)
    const near = lon + 360 * Math.round((origin - lon) / 360)
    return { x: near * narrow, y: points.lat(index) }
  })
}

function stretchOf(places: readonly Place[], kept: Set<number>, from: number, to: number): Stretch {
  const [start, end] = [places[from], places[to]]
  let [farthest, distance] = [-1, -1]
  if (start === undefined || end === undefined) return { places, kept, from, to, farthest, distance }
  const [dx, dy] = [end.x - start.x, end.y - start.y]
  const squared = dx * dx + dy * dy
  for (let index = from + 1; index < to; index += 1) {
    const place = places[index] ?? start
    const [px, py] = [place.x - start.x, place.y - start.y]
    const share = squared === 0 ? 0 : Math.min(1, Math.max(0, (px * dx + py * dy) / squared))
    const off = Math.hypot(px - share * dx, py - share * dy)
    if (off > distance) [farthest, distance] = [index, off]
  }
  return { places, kept, from, to, farthest, distance }
}

/** If there are too many lines, retains those with the most points, in their order. */
function longest(lines: readonly Line[]): Line[] {
  const there = lines.filter((line) => countOf(line) > 1)
  if (there.length <= maxLines) return there
  const chosen = new Set(there.toSorted((one, other) => countOf(other) - countOf(one)).slice(0, maxLines))
  return there.filter((line) => chosen.has(line))
}

/** Every point is a point of the lines: nothing is invented, and no gap is bridged. */
export function sketchOf(lines: readonly Line[], maxPoints = maxSketchPoints): Sketch {
  const drawn = longest(lines)
  const open: Stretch[] = []
  const keptOf = drawn.map((line) => {
    const places = placesOf(line)
    const kept = new Set([0, places.length - 1])
    open.push(stretchOf(places, kept, 0, places.length - 1))
    return { line, places, kept }
  })
  let count = keptOf.reduce((sum, { kept }) => sum + kept.size, 0)
  while (count < maxPoints) {
    const next = open.reduce<Stretch | undefined>(
      (best, stretch) => (stretch.distance > (best?.distance ?? 0) ? stretch : best),
      undefined,
    )
    if (next === undefined) break
    const { places, kept, from, to, farthest } = next
    open.splice(
      open.indexOf(next),
      1,
      stretchOf(places, kept, from, farthest),
      stretchOf(places, kept, farthest, to),
    )
    kept.add(farthest)
    count += 1
  }
  return keptOf.map(({ line: { points, first, end }, kept }) => {
    const step = Math.max(1, Math.ceil((end - first) / maxPointsRead))
    return [...kept]
      .toSorted((one, other) => one - other)
      .map((nth) => Math.min(first + nth * step, end - 1))
      .map((index) => [rounded(points.lon(index)), rounded(points.lat(index))] as const)
  })
}
