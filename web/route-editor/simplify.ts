// Simplifies lines (Douglas–Peucker): weighs every point once, so that any tolerance is only a comparison.
import type { Chunk } from './columns.ts'

const metresOfDegree = 111_195
const radiansOfDegree = Math.PI / 180

/**
 * Metres from a point to the line between two others, in a plane around the point: accurate to a thousandth for lines
 * of some hundred kilometres, away from the poles.
 */
export function metresFromLine(
  [lat, lon]: readonly [number, number],
  [lat1, lon1]: readonly [number, number],
  [lat2, lon2]: readonly [number, number],
): number {
  const metresOfLon = metresOfDegree * Math.cos(lat * radiansOfDegree)
  const [x1, y1] = [shortWay(lon1 - lon) * metresOfLon, (lat1 - lat) * metresOfDegree]
  const [x2, y2] = [shortWay(lon2 - lon) * metresOfLon, (lat2 - lat) * metresOfDegree]
  const [dx, dy] = [x2 - x1, y2 - y1]
  const square = dx * dx + dy * dy
  // How far along the line its nearest point is.
  const share = square === 0 ? 0 : Math.min(1, Math.max(0, -(x1 * dx + y1 * dy) / square))
  return Math.hypot(x1 + share * dx, y1 + share * dy)
}

function shortWay(degrees: number): number {
  if (degrees > 180) return degrees - 360
  return degrees < -180 ? degrees + 360 : degrees
}

/** The point farthest from the line between two others, and its distance. */
function farthest({ lats, lons }: Chunk, first: number, last: number): { at: number; metres: number } {
  const start = [lats[first] ?? NaN, lons[first] ?? NaN] as const
  const end = [lats[last] ?? NaN, lons[last] ?? NaN] as const
  let at = first + 1
  let metres = -1
  for (let index = first + 1; index < last; index += 1) {
    const distance = metresFromLine([lats[index] ?? NaN, lons[index] ?? NaN], start, end)
    if (distance <= metres) continue
    metres = distance
    at = index
  }
  return { at, metres }
}

/**
 * For each point the largest tolerance, in metres, at which it stays: at tolerance t, exactly the points with a
 * greater weight stay, and no removed point is farther than t from the remaining line. Ends have infinite weight.
 * Uses an explicit stack, since the recursion for a track of 400,000 points can be as deep as the track is long.
 */
export function weighPoints(line: Chunk): Float64Array {
  const weights = new Float64Array(line.count).fill(Infinity)
  const stack: { readonly first: number; readonly last: number; readonly max: number }[] = []
  if (line.count > 2) stack.push({ first: 0, last: line.count - 1, max: Infinity })
  for (let span = stack.pop(); span !== undefined; span = stack.pop()) {
    const { first, last } = span
    const { at, metres } = farthest(line, first, last)
    // No point has a greater weight than the one that splits its span.
    const max = Math.min(span.max, metres)
    weights[at] = max
    if (at - first > 1) stack.push({ first, last: at, max })
    if (last - at > 1) stack.push({ first: at, last, max })
  }
  return weights
}

/** One byte per point: 1 if it stays. */
export const keptAt = (weights: Float64Array, toleranceMetres: number): Uint8Array =>
  Uint8Array.from(weights, (weight) => (weight > toleranceMetres ? 1 : 0))

export function countKept(weights: readonly Float64Array[], toleranceMetres: number): number {
  let count = 0
  for (const weighed of weights) for (const weight of weighed) if (weight > toleranceMetres) count += 1
  return count
}

/** The tolerances offered, in metres: round numbers in growing steps. */
export const tolerancesMetres = [0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1_000] as const

/** The smallest offered tolerance that leaves at most this many points; the largest if none does. */
export function toleranceFor(weights: readonly Float64Array[], maxPoints: number): number {
  return tolerancesMetres.find((metres) => countKept(weights, metres) <= maxPoints) ?? 1_000
}
